/**
 * A provider's webhooks in its declaration: where the address goes, how a message is verified, and which work
 * it is about. An unsigned message is only a reason to poll, whatever it says.
 */
import type { CallbackAddress, CallbackRequest, Json } from "@safelight/core"
import type { ProviderRequest } from "./provider-request.ts"

export type WebhookScheme =
  /** standardwebhooks.com: HMAC-SHA256 of id, timestamp and body, by a secret of the account. */
  | { readonly kind: "standard-webhooks"; readonly secretVariable: string }
  /**
   * Ed25519 by any key of a published set, of four lines: request id, user id, timestamp, SHA-256 of the
   * body. The first three and the signature are headers that begin with `headerPrefix`.
   */
  | { readonly kind: "ed25519"; readonly headerPrefix: string; readonly keySetUrl: string }
  /** HMAC-SHA256 of the body in hexadecimal digits after `prefix`, by the secret that the purchase named. */
  | { readonly kind: "hmac"; readonly header: string; readonly prefix: string }
  | { readonly kind: "none" }

export interface Webhook {
  readonly scheme: WebhookScheme
  /** The purchase with the address in it; unchanged if its endpoint takes none. */
  readonly addTo: (request: ProviderRequest, callback: CallbackAddress) => ProviderRequest
  /**
   * The operation that a verified message names, in the form that `poll` takes; undefined if it names none. A
   * query that `addTo` put into the address comes back with the message.
   */
  readonly readOperation?: (
    message: Json,
    callback: Pick<CallbackRequest, "model" | "query">,
  ) => Json | undefined
}
