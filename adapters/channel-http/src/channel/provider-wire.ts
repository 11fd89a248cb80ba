/**
 * The connections to one provider, with its address and credentials. A purchase gets a connection at once,
 * since it must leave while its lease holds; all other requests share a bounded number.
 */
import {
  createSecretHider,
  isDataUrl,
  isHeaderSecret,
  parseDataUrl,
  SafelightError,
  type AbortSignalLike,
  type ChannelOutput,
  type Completed,
  type LinkedOutput,
} from "@safelight/core"
import { createHttpClient, NotSent, type HttpClient } from "./http-client.ts"
import { unavailable } from "../declaration/unavailable.ts"
import { toInlineOutput } from "../declaration/inline-output.ts"
import { toProviderAddress } from "./provider-address.ts"
import { findModel, type Provider } from "../declaration/provider.ts"
import type { ProviderModel } from "../declaration/provider-model.ts"
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
}

export interface Wire {
  readonly origin: string
  readonly toModel: (id: string) => ProviderModel
  /** Rejects like `HttpClient.send`. */
  sendOnce(request: ProviderRequest, signal: AbortSignalLike): Promise<Reply>
  /**
   * The outcome in the form that leaves the channel: outputs get the credentials that they are fetched with, and
   * data URLs become bytes.
   */
  present<Outcome extends { readonly kind: string }>(outcome: Outcome): Outcome
  /** The text without the key, the webhooks' secret and their parts. */
  readonly hideSecrets: (text: string) => string
  /** Fetches a public URL without credentials; with a `baseUrl` from below that, for a stub serves it there. */
  readonly get: ReceiverOptions["get"]
  /** For requests that buy nothing. */
  toSend(signal: AbortSignalLike): Send
  close(): Promise<void>
}

/** Throws `invalid-configuration` if the key or the address can't be used. */
export function createWire(options: WireOptions): Wire {
  const { baseUrl, key, name, provider, webhookSecret = "" } = options
  const mostReplyBytes = provider.answersHoldMedia === true ? MEDIA_REPLY_BYTES : REPLY_BYTES
  // An answer that is too long to be read leaves a purchase in doubt, and a refusal may repeat the request.
  const purchases = createHttpClient({ mostReplyBytes: MEDIA_REPLY_BYTES })
  const questions = createHttpClient({ mostConnections: MOST_CONNECTIONS, mostReplyBytes })
  const { isOwn, origin, toUrl } = toProviderAddress(provider, baseUrl)
  const credentials = provider.authorize(requireKey(name, key))

  const sendBy =
    (client: HttpClient): Wire["sendOnce"] =>
    (request, signal) => {
      const headers = { ...request.headers, ...credentials }
      return client.send({ ...request, headers, url: toUrl(request), signal })
    }
  const ask = sendBy(questions)
  const hideSecrets = createSecretHider([key, webhookSecret])

  function withCredentials(output: LinkedOutput): LinkedOutput {
    const isPath = output.url.startsWith("/")
    const address = isPath ? toUrl({ path: output.url }) : URL.parse(output.url)
    if (address === null || !isOwn(address)) return output
    return { ...output, url: address.href, headers: credentials }
  }

  return {
    origin,
    toModel(id) {
      const model = findModel(provider, id)
      if (model !== undefined) return model
      const message = `channel ${name} has no model ${id}`
      throw new SafelightError({ code: "invalid-configuration", message })
    },
    sendOnce: sendBy(purchases),
    hideSecrets,
    present(outcome) {
      if (!isCompleted(outcome)) return outcome
      const outputs = outcome.outputs.flatMap((output): ChannelOutput | [] => {
        if (!("url" in output)) return output
        if (isDataUrl(output.url)) {
          return toInlineOutput(output.url.slice(parseDataUrl(output.url)?.start)) ?? []
        }
        return provider.outputsNeedKey === true ? withCredentials(output) : output
      })
      return { ...outcome, outputs }
    },
    async get(url, signal) {
      const { host, pathname } = new URL(url)
      const address = baseUrl === undefined ? url : toUrl({ path: `/${host}${pathname}` }).href
      return asSent(
        name,
        questions.send({ method: "GET", path: "", url: new URL(address), signal }),
      )
    },
    toSend: (signal) => (request) => asSent(name, ask(request, signal)),
    async close() {
      await Promise.all([purchases.close(), questions.close()])
    },
  }
}

/** A request that buys nothing may be repeated, whether it was sent or not. */
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

function requireKey(name: string, key: string): string {
  if (isHeaderSecret(key)) return key
  const message = `the key of channel ${name} is empty, or holds what no key does`
  throw new SafelightError({ code: "invalid-configuration", message })
}
