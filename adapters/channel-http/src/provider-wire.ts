/**
 * The way to one provider: its address, its credentials, and two sets of connections. A purchase has a
 * connection at once, since it must leave while its lease holds; what buys nothing shares some.
 */
import { SafelightError, type AbortSignalLike, type Completed } from "@safelight/core"
import { createHttpClient, NotSent, type HttpClient } from "./http-client.ts"
import { createIsOwn, createToAddress } from "./provider-address.ts"
import {
  findModel,
  type Provider,
  type ProviderModel,
  type ProviderRequest,
  type Reply,
  type Send,
} from "./provider.ts"
import type { ReceiverOptions } from "./receive-webhook.ts"

/**
 * For all that buys nothing: thousands of polls may be due at once, and each connection takes memory.
 * Enough for 1,000 polls a second that are answered within a quarter of one.
 */
const MOST_CONNECTIONS = 256

/** Of handles, states and URLs. */
const REPLY_BYTES = 1024 * 1024
/** Of pictures as base64, some of 20 MB each, and of requests whose inputs go along. */
const MEDIA_REPLY_BYTES = 128 * 1024 * 1024

export interface WireOptions {
  readonly provider: Provider
  /** The channel's. */
  readonly name: string
  readonly key: string
  readonly baseUrl?: string
}

export interface Wire {
  readonly origin: string
  readonly toModel: (id: string) => ProviderModel
  /** Rejects with a `NotSent` where not a byte of it can have arrived. */
  sendOnce(request: ProviderRequest, signal: AbortSignalLike): Promise<Reply>
  /** The outcome with what its outputs are fetched with. */
  withCredentials<Outcome extends { readonly kind: string }>(outcome: Outcome): Outcome
  /** Gets what anybody may have; of a host that stands elsewhere, as a stub serves it. */
  readonly get: ReceiverOptions["get"]
  /** For what buys nothing. */
  toSend(signal: AbortSignalLike): Send
  close(): Promise<void>
}

/** Throws `invalid-configuration` where the key or the address can be none. */
export function createWire({ baseUrl, key, name, provider }: WireOptions): Wire {
  const mostReplyBytes = provider.answersHoldMedia === true ? MEDIA_REPLY_BYTES : REPLY_BYTES
  // A purchase never waits for a connection: it has to leave while its lease holds. An answer that is
  // not read leaves it in doubt, and a refusal may repeat what it refuses.
  const purchases = createHttpClient({ mostReplyBytes: MEDIA_REPLY_BYTES })
  const questions = createHttpClient({ mostConnections: MOST_CONNECTIONS, mostReplyBytes })
  const toAddress = createToAddress(provider, baseUrl)
  const isOwn = createIsOwn(provider, baseUrl)
  const credentials = provider.authorize(requireKey(name, key))

  const sendBy =
    (client: HttpClient): Wire["sendOnce"] =>
    (request, signal) => {
      const headers = { ...request.headers, ...credentials }
      return client.send({ ...request, headers, url: toAddress(request), signal })
    }
  const ask = sendBy(questions)

  return {
    origin: toAddress({ path: "/" }).origin,
    toModel(id) {
      const model = findModel(provider, id)
      if (model !== undefined) return model
      const message = `channel ${name} has no model ${id}`
      throw new SafelightError({ code: "invalid-configuration", message })
    },
    sendOnce: sendBy(purchases),
    withCredentials(outcome) {
      if (provider.outputsNeedKey !== true || !isCompleted(outcome)) return outcome
      const outputs = outcome.outputs.map((output) => {
        if (!("url" in output)) return output
        const isPath = output.url.startsWith("/")
        const address = isPath ? toAddress({ path: output.url }) : URL.parse(output.url)
        if (address === null || !isOwn(address)) return output
        return { ...output, url: address.href, headers: credentials }
      })
      return { ...outcome, outputs }
    },
    async get(url, signal) {
      const { host, pathname } = new URL(url)
      const stands = baseUrl === undefined ? url : toAddress({ path: `/${host}${pathname}` }).href
      return asSent(name, questions.send({ method: "GET", path: "", url: new URL(stands), signal }))
    },
    toSend: (signal) => (request) => asSent(name, ask(request, signal)),
    async close() {
      await Promise.all([purchases.close(), questions.close()])
    },
  }
}

/** What buys nothing may be sent again, whether it was or not. */
async function asSent(name: string, reply: Promise<Reply>): Promise<Reply> {
  try {
    return await reply
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
    throw unavailable(`${name} can't be reached`, { cause: error })
  }
}

function isCompleted<Outcome extends { readonly kind: string }>(
  outcome: Outcome,
): outcome is Outcome & Completed {
  return outcome.kind === "completed"
}

export function unavailable(
  message: string,
  { cause, retryAfterMs }: { readonly cause?: Error; readonly retryAfterMs?: number | undefined },
): SafelightError {
  const more = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new SafelightError({
    code: "channel-unavailable",
    message,
    retryable: true,
    cause,
    ...more,
  })
}

/** Whether it can be a key at all: it goes into a header, and what is no visible ASCII was copied wrongly. */
export function isProviderKey(key: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(key)
}

function requireKey(name: string, key: string): string {
  if (isProviderKey(key)) return key
  const message = `the key of channel ${name} is empty, or holds what no key does`
  throw new SafelightError({ code: "invalid-configuration", message })
}
