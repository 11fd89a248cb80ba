/**
 * A channel from a provider's declaration. The one request that buys is sent once, and what its answer
 * does not prove leaves the purchase in doubt; all other requests buy nothing and may be repeated.
 *
 *   never sent → not created      an answer that the declaration reads → what it proves
 *   5xx, 408: proof only of what was taken in      anything else → unknown
 */
import {
  SafelightError,
  type Channel,
  type ChannelRequest,
  type PollOutcome,
  type PollRequest,
  type SubmitOutcome,
} from "@safelight/core"
import { createHttpClient, NotSent } from "./http-client.ts"
import { createToAddress } from "./provider-address.ts"
import type { CreateOutcome, Provider, ProviderModel, Reply, Send } from "./provider.ts"

export interface HttpChannelOptions {
  readonly provider: Provider
  /** The provider's key; never logged, never part of an error. */
  readonly key: string
  /** The channel's name; the provider's by default. */
  readonly name?: string
  /** In place of the provider's own: a stub, a proxy, a server of the same protocol. */
  readonly baseUrl?: string
  /** Of the provider's models; all by default. */
  readonly models?: readonly string[]
  readonly concurrency?: number
}

/** Throws `invalid-configuration`, naming what is wrong. */
export function createHttpChannel(options: HttpChannelOptions): Channel {
  const { key, provider } = options
  const { name = provider.name, models = Object.keys(provider.models) } = options
  const client = createHttpClient()
  const toAddress = createToAddress(provider, options.baseUrl)
  const credentials = provider.authorize(requireKey(name, key))
  const origin = toAddress({ path: "/" }).origin

  const toModel = (id: string): ProviderModel => {
    const model = provider.models[id]
    if (model !== undefined) return model
    const message = `channel ${name} has no model ${id}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  for (const id of models) toModel(id)

  const toSend =
    (signal: AbortSignal): Send =>
    async (request) => {
      const headers = { ...request.headers, ...credentials }
      try {
        return await client.send({ ...request, headers, url: toAddress(request), signal })
      } catch (error) {
        throw error instanceof NotSent ? unavailable(name, error) : error
      }
    }

  async function submit(request: ChannelRequest): Promise<SubmitOutcome> {
    const { model, parameters, upstreamKey } = request
    const create = toModel(model).toRequest(parameters, upstreamKey)
    const headers = { ...create.headers, ...credentials }
    let reply: Reply
    try {
      const signal = request.signal as AbortSignal
      reply = await client.send({ ...create, headers, url: toAddress(create), signal })
    } catch (error) {
      if (error instanceof NotSent) return { kind: "not-created", reason: "unreachable" }
      throw error
    }
    const outcome = provider.readCreate(reply)
    if (outcome !== undefined && isProof(reply, outcome)) return outcome
    const message = `${name} answered ${reply.status}, which proves nothing`
    throw new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
  }

  async function poll({ operation, signal }: PollRequest): Promise<PollOutcome> {
    const outcome = await provider.poll(operation, toSend(signal as AbortSignal))
    if (outcome !== undefined) return outcome
    const message = `${name} does not say how the work stands`
    throw new SafelightError({ code: "channel-unavailable", message, retryable: true })
  }

  const { cancel, find } = provider
  return {
    name,
    models,
    submission: provider.submission,
    concurrency: options.concurrency ?? provider.concurrency,
    submitTimeoutMs: provider.submitTimeoutMs,
    outputOrigins: { hosts: provider.outputHosts, trustedOrigins: [origin] },
    accepts: ({ model, parameters }) => toModel(model).accepts?.(parameters) ?? true,
    submit,
    poll,
    ...(cancel !== undefined && {
      async cancel({ operation, signal }: PollRequest) {
        await cancel(operation, toSend(signal as AbortSignal))
      },
    }),
    ...(find !== undefined && {
      find: ({ model, parameters, signal, upstreamKey }: ChannelRequest) =>
        find({ model, parameters, key: upstreamKey }, toSend(signal as AbortSignal)),
    }),
    close: () => client.close(),
  }
}

/** A server that fails may have taken the work in all the same: it only proves that it has. */
function isProof({ status }: Reply, { kind }: CreateOutcome): boolean {
  const isTakenIn = kind === "accepted" || kind === "completed" || kind === "pending"
  return isTakenIn || !(status >= 500 || status === 408)
}

function unavailable(name: string, cause: Error): SafelightError {
  const message = `${name} can't be reached`
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, cause })
}

function requireKey(name: string, key: string): string {
  // It goes into a header: what is no visible ASCII is a mistake of copying.
  if (/^[\x21-\x7e]{1,4096}$/.test(key)) return key
  const message = `the key of channel ${name} is empty, or holds what no key does`
  throw new SafelightError({ code: "invalid-configuration", message })
}
