/**
 * A provider's webhooks, as its declaration says them: where the address goes, who vouches for what
 * comes, and which work a message is about. What nobody signs is a hint to poll, whatever it says.
 */
import type { CallbackAddress, Json } from "@safelight/core"
import type { ProviderRequest } from "./provider.ts"

export type WebhookScheme =
  /** standardwebhooks.com: HMAC-SHA256 of id, moment and body, by a secret of the account. */
  | { readonly kind: "standard-webhooks"; readonly secretVariable: string }
  /**
   * Ed25519 of four lines (request id, user id, moment, SHA-256 of the body), which stand in headers
   * that begin alike, by any key of a published set.
   */
  | { readonly kind: "ed25519"; readonly headerPrefix: string; readonly keySetUrl: string }
  /** HMAC-SHA256 of the body as hexadecimal digits behind `prefix`, by the secret that the call named. */
  | { readonly kind: "hmac"; readonly header: string; readonly prefix: string }
  | { readonly kind: "none" }

export interface Webhook {
  readonly scheme: WebhookScheme
  /** The purchase with the address in it; as it was where it takes none. */
  readonly addTo: (request: ProviderRequest, callback: CallbackAddress) => ProviderRequest
  /** The handle on the work that a verified message names, as `poll` takes it; undefined without one. */
  readonly readOperation?: (message: Json, model: string) => Json | undefined
}
