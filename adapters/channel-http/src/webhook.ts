/**
 * A provider's webhooks in its declaration: where the address goes, how a message is verified, and which work
 * it is about. A message that is not signed is only a hint to poll, whatever it says.
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
  /** The purchase with the address in it; unchanged if it takes none. */
  readonly addTo: (request: ProviderRequest, callback: CallbackAddress) => ProviderRequest
  /** The handle on the work that a verified message names, as `poll` takes it; undefined without one. */
  readonly readOperation?: (message: Json, model: string) => Json | undefined
}
