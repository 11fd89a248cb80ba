/**
 * A channel's callbacks, by its provider's declaration. They are requested only if their sender can be verified
 * and the provider would accept the address.
 */
import {
  parseJson,
  SafelightError,
  type CallbackOutcome,
  type CallbackRequest,
  type Clock,
} from "@safelight/core"
import { createKeySet } from "./key-set.ts"
import type { ProviderRequest, Reply } from "../declaration/provider-request.ts"
import { isEd25519Webhook, isHmacWebhook, isStandardWebhook } from "./verify-webhook.ts"
import type { Webhook } from "../declaration/webhook.ts"

export interface ReceiverOptions {
  readonly webhook: Webhook
  /** The account's, if the scheme needs one. */
  readonly secret: string | undefined
  /** Gets an absolute URL without credentials. */
  readonly get: (url: string, signal: CallbackRequest["signal"]) => Promise<Reply>
  readonly clock: Pick<Clock, "now" | "monotonicNow">
}

export type Receive = (request: CallbackRequest) => Promise<CallbackOutcome>

/** Undefined if the scheme needs a secret and there is none. Throws `invalid-configuration` if it can't be one. */
export function createReceive(options: ReceiverOptions): Receive | undefined {
  const verifies = createVerifier(options)
  if (verifies === undefined) return undefined
  const { readOperation, scheme } = options.webhook
  return async (request) => {
    if (!(await verifies(request))) return { kind: "forged" }
    if (scheme.kind === "none") return { kind: "hint" }
    const message = parseJson(Buffer.from(request.body).toString("utf8"))
    // The provider signed it, but it is about no work that we know.
    if (message === undefined) return { kind: "ignored" }
    const operation = readOperation?.(message, request)
    return operation === undefined ? { kind: "verified" } : { kind: "verified", operation }
  }
}

type Verify = (request: CallbackRequest) => boolean | Promise<boolean>

function createVerifier({ clock, get, secret, webhook }: ReceiverOptions): Verify | undefined {
  const { scheme } = webhook
  switch (scheme.kind) {
    case "standard-webhooks":
      if (secret === undefined || secret === "") return undefined
      requireSecret(secret)
      return (request) => isStandardWebhook(request, secret, clock.now())
    case "ed25519": {
      const keys = createKeySet({ clock, get: (signal) => get(scheme.keySetUrl, signal) })
      return (request) => isEd25519Webhook(request, scheme.headerPrefix, keys, clock.now())
    }
    case "hmac":
      return (request) => isHmacWebhook(request, scheme)
    case "none":
      return () => true
  }
}

/** A text that is no base64 would be decoded to the empty key, by which anybody can sign. */
function requireSecret(secret: string): void {
  if (Buffer.from(secret.replace(/^whsec_/, ""), "base64").length >= 16) return
  const message = "the secret of webhooks must be whsec_ and the base64 of 16 bytes or more"
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** Only a stub is given an address of plain http: providers refuse the whole purchase for it. */
export function addCallback(
  request: ProviderRequest,
  webhook: Webhook,
  callback: Parameters<Webhook["addTo"]>[1],
  origin: string,
): ProviderRequest {
  const isTaken = callback.url.startsWith("https:") || origin.startsWith("http:")
  return isTaken ? webhook.addTo(request, callback) : request
}
