/**
 * The connections to one provider, with its address and credentials. A purchase gets a connection at once,
 * since it must leave while its lease holds; all other requests share a bounded number.
 */
import { isHeaderSecret, SafelightError, type AbortSignalLike, type Clock } from "@safelight/core"
import { createAuthorizer } from "./authorizer.ts"
import { encodeRequest } from "./encode-request.ts"
import { createHttpClient, type HttpClient } from "./http-client.ts"
import { asSent } from "./not-sent.ts"
import { presentOutputs } from "./present-outputs.ts"
import { toProviderAddress } from "./provider-address.ts"
import type { Provider } from "../declaration/provider.ts"
import type { ProviderRequest, Reply, Send } from "../declaration/provider-request.ts"
import type { ReceiverOptions } from "./receive-webhook.ts"

/**
 * For requests that buy nothing: thousands of polls may be due at once, and each connection takes memory.
 * Enough for 1,000 polls a second that are answered within a quarter of a second.
 */
const MOST_CONNECTIONS = 256

/** For answers with handles, states and URLs. */
const REPLY_BYTES = 1024 * 1024
/** For answers with images in base64, some of 20 MB each, or with the inputs of a request. */
const MEDIA_REPLY_BYTES = 128 * 1024 * 1024

export interface WireOptions {
  readonly provider: Provider
  /** The channel's. */
  readonly name: string
  readonly key: string
  readonly baseUrl?: string
  readonly webhookSecret?: string
  readonly clock?: Pick<Clock, "now">
}

export interface Wire {
  readonly origin: string
  /** Rejects like `HttpClient.send`. */
  sendOnce(request: ProviderRequest, signal: AbortSignalLike): Promise<Reply>
  /**
   * The outcome in the form that leaves the channel: outputs get the credentials that they are fetched with, and
   * data URLs become bytes. Rejects with `channel-unavailable` if the credentials can't be made.
   */
  present<Outcome extends { readonly kind: string }>(
    outcome: Outcome,
    signal: AbortSignalLike,
  ): Promise<Outcome>
  /** The text without the key, the webhooks' secret, their parts and what was made of the key. */
  readonly hideSecrets: (text: string) => string
  /** Fetches a public URL without credentials; with a `baseUrl` from below that, for a stub serves it there. */
  readonly get: ReceiverOptions["get"]
  /** For requests that buy nothing. */
  toSend(signal: AbortSignalLike): Send
  close(): Promise<void>
}

/** Throws `invalid-configuration` if the key or the address can't be used. */
export function createWire(options: WireOptions): Wire {
  const { baseUrl, clock, key, name, provider, webhookSecret = "" } = options
  const mostReplyBytes = provider.answersHoldMedia === true ? MEDIA_REPLY_BYTES : REPLY_BYTES
  // An answer that is too long to be read leaves a purchase in doubt, and a refusal may repeat the request.
  const purchases = createHttpClient({ mostReplyBytes: MEDIA_REPLY_BYTES })
  const questions = createHttpClient({ mostConnections: MOST_CONNECTIONS, mostReplyBytes })
  const address = toProviderAddress(provider, baseUrl)
  const { origin, toUrl } = address
  const { authorize, hideSecrets } = createAuthorizer({
    authorize: provider.authorize,
    key: requireKey(name, key),
    webhookSecret,
    clock,
  })

  const sendBy =
    (client: HttpClient): Wire["sendOnce"] =>
    async (request, signal) => {
      const encoded = await encodeRequest(request, toUrl(request))
      const headers = { ...encoded.headers, ...(await authorize(encoded, signal)) }
      const { method, path } = request
      return { ...(await client.send({ ...encoded, headers, signal })), asked: { method, path } }
    }
  const ask = sendBy(questions)

  return {
    origin,
    sendOnce: sendBy(purchases),
    hideSecrets,
    present: (outcome, signal) =>
      presentOutputs({ provider, name, address, authorize }, outcome, signal),
    async get(url, signal) {
      const { host, pathname } = new URL(url)
      const own = baseUrl === undefined ? url : toUrl({ path: `/${host}${pathname}` }).href
      const request = await encodeRequest({ method: "GET", path: "" }, new URL(own))
      return asSent(name, questions.send({ ...request, signal }))
    },
    toSend: (signal) => (request) => asSent(name, ask(request, signal)),
    async close() {
      await Promise.all([purchases.close(), questions.close()])
    },
  }
}

function requireKey(name: string, key: string): string {
  if (isHeaderSecret(key)) return key
  const message = `the key of channel ${name} is empty, or holds what no key does`
  throw new SafelightError({ code: "invalid-configuration", message })
}
