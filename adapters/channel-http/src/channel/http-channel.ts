/**
 * A channel from a provider's declaration. The one request that buys is sent once, and an answer that proves
 * nothing leaves the purchase in doubt; all other requests buy nothing and may be repeated.
 *
 *   never sent → not created      an answer that the declaration reads → what it proves
 *   5xx, 408: they prove only an acceptance        anything else → unknown
 */
import {
  SafelightError,
  toEcho,
  type Channel,
  type ChannelRequest,
  type FindRequest,
  type NotCreated,
  type Clock,
  type Json,
  type ParameterValues,
  type PollEvery,
  type PollOutcome,
  type PollRequest,
  type Submission,
  type SubmitOutcome,
} from "@safelight/core"
import { checkProvider } from "./check-provider.ts"
import { toAbortSignal } from "./http-client.ts"
import { NotSent } from "./not-sent.ts"
import { PUT_INPUTS_MS, putInputs, type InputPlace } from "./put-inputs.ts"
import { unavailable } from "../declaration/unavailable.ts"
import { createWire, type Wire } from "./provider-wire.ts"
import {
  findServed,
  listModels,
  serveModels,
  toUpstreamsAt,
  type ServedModel,
  type ServedUpstream,
} from "./served-models.ts"
import { readPurchaseAnswer, readUploadAnswer, readWords } from "./purchase-answer.ts"
import { isTurnedAway } from "../declaration/read-reply.ts"
import { addCallback, createReceive } from "./receive-webhook.ts"
import { createUnclearAnswers, type UnclearAnswers } from "./unclear-answers.ts"
import type { CreateOutcome, Provider } from "../declaration/provider.ts"
import type { ProviderRequest, Reply, Send } from "../declaration/provider-request.ts"

/** Connecting takes ten seconds at most; a request that has no connection by then is not sent. */
const SEND_WITHIN_MS = 15_000

export interface HttpChannelOptions {
  readonly provider: Provider
  /** The provider's key; never logged, never part of an error. */
  readonly key: string
  /** The channel's name; the provider's by default. */
  readonly name?: string
  /** Replaces the provider's own: a stub, a proxy, a server of the same protocol. */
  readonly baseUrl?: string
  /** Public models; those of the declaration and of `upstreams` by default. */
  readonly models?: readonly string[]
  /**
   * By public model, how the provider makes it. Without other names, values, constants or parameters to drop, a model
   * of the declaration keeps its exact translation.
   */
  readonly upstreams?: Readonly<Record<string, ServedUpstream>>
  readonly concurrency?: number
  /** Hosts of outputs in addition to the provider's own, in the form of `MediaRequest.hosts`. */
  readonly outputHosts?: readonly string[]
  /** The server at `baseUrl` is your own and costs nothing. */
  readonly isFree?: boolean
  /**
   * How long an idempotency key is valid at a provider that honours keys and doesn't state it, less the time
   * of a request and the difference of two clocks.
   */
  readonly keyTtlMs?: number
  /** Whether the service has a public address, so that inputs can be fetched from it; by default not. */
  readonly canLink?: boolean
  /** The account's secret, for providers that sign webhooks with one; they are asked for none without it. */
  readonly webhookSecret?: string
  /** The pause between two polls; replaces the provider's own. */
  readonly pollEvery?: PollEvery
  /** Judges the timestamps of signatures; the host's clock by default. */
  readonly clock?: Pick<Clock, "now" | "monotonicNow">
}

const HOST_CLOCK = { now: () => Date.now(), monotonicNow: () => performance.now() }

/** `pollAfterMs` of an outcome raises the shortest; no video needs polls more often than the longest. */
const POLL_EVERY: PollEvery = { shortestMs: 500, longestMs: 15_000 }

/** The longest pause that a provider or a proxy may ask for: some outputs are gone after ten minutes. */
const LONGEST_PAUSE_MS = 300_000

/** A provider that answers later is of no use for tasks either. */
const CHECK_MS = 15_000

/** Throws `invalid-configuration`, naming the channel and what is wrong: the key, the address, a model. */
export function createHttpChannel(options: HttpChannelOptions): Channel {
  const { provider } = options
  const { canLink = false } = options
  const upstreams = toUpstreamsAt(options.upstreams ?? {}, options.baseUrl)
  const { name = provider.name, outputHosts = [] } = options
  const { models = listModels(provider, upstreams) } = options
  const served = serveModels({ provider, name, models, upstreams, baseUrl: options.baseUrl })
  const connection = createWire({ ...options, name })
  const wire: ModelWire = { ...connection, toModel: (id) => findServed(served, name, id) }
  const { cancel, find } = provider
  const unclear = createUnclearAnswers()

  return {
    name,
    models,
    submission: toSubmission(options, name),
    concurrency: options.concurrency ?? provider.concurrency,
    ...toTimes(
      provider,
      [...served.values()].some(({ inputs }) => inputs !== undefined),
    ),
    ...(provider.requestsPerMinute !== undefined && {
      requestsPerMinute: provider.requestsPerMinute,
    }),
    ...(isFree(options, name) && { isFree: true }),
    outputOrigins: {
      hosts: [...provider.outputHosts, ...outputHosts],
      trustedOrigins: [wire.origin],
    },
    ...(provider.relays === true && { relays: provider.relays }),
    accepts: ({ model, parameters }) =>
      wire.toModel(model).accepts?.(parameters, { canLink }) ?? true,
    pollEvery: toPollEvery(options),
    submit: (request) => buy(wire, provider, request),
    poll: (request) => pollProvider(wire, provider, request, unclear),
    ...toReceiving(options, wire),
    ...(cancel !== undefined && {
      cancel: ({ operation, signal }: PollRequest) => cancel(operation, wire.toSend(signal)),
    }),
    ...(find !== undefined && {
      find: ({ model, signal, upstreamKey: key }: FindRequest) =>
        find({ model, key }, wire.toSend(signal)),
    }),
    check: () =>
      checkProvider(provider, {
        send: toCheckSend(options, wire),
        models: models.map((id) => upstreams[id]?.model ?? id),
        upstreams: models.flatMap((id) => upstreams[id]?.model ?? []),
      }),
    hideSecrets: wire.hideSecrets,
    close: () => wire.close(),
  }
}

/** A server at a `baseUrl` of one's own has the provider's other hosts below that, as stubs do. */
function toCheckSend({ baseUrl }: HttpChannelOptions, wire: Wire): Send {
  const send = wire.toSend(AbortSignal.timeout(CHECK_MS))
  return (request) => {
    const elsewhere = baseUrl === undefined ? null : URL.parse(request.path)
    if (elsewhere === null) return send(request)
    return send({ ...request, path: `/${elsewhere.host}${elsewhere.pathname}` })
  }
}

interface ModelWire extends Wire {
  readonly toModel: (id: string) => ServedModel
}

function toPollEvery({ pollEvery, provider }: HttpChannelOptions): PollEvery {
  return pollEvery ?? provider.pollEvery ?? POLL_EVERY
}

function toReceiving(
  { clock = HOST_CLOCK, provider: { webhook }, webhookSecret: secret }: HttpChannelOptions,
  { get }: Wire,
): Pick<Channel, "receive" | "hasVerifiedCallbacks"> {
  const receive = webhook && createReceive({ webhook, secret, get, clock })
  if (receive === undefined) return {}
  return webhook?.scheme.kind === "none" ? { receive } : { receive, hasVerifiedCallbacks: true }
}

/** The provider itself charges for every purchase, so its own address can't be declared free. */
function isFree({ baseUrl, isFree: isOwn = false, provider }: HttpChannelOptions, name: string) {
  if (!isOwn || baseUrl !== undefined) return isOwn || provider.isFree === true
  const message = `channel ${name}: isFree is for a server of one's own, which baseUrl names`
  throw new SafelightError({ code: "invalid-configuration", message })
}

function toTimes(
  { submitTimeoutMs }: Provider,
  putsInputs: boolean,
): Required<Pick<Channel, "sendWithinMs" | "submitTimeoutMs">> {
  const inputsMs = putsInputs ? PUT_INPUTS_MS : 0
  const sendWithinMs = inputsMs + Math.min(SEND_WITHIN_MS, submitTimeoutMs)
  return { sendWithinMs, submitTimeoutMs: inputsMs + submitTimeoutMs }
}

function toSubmission({ keyTtlMs, provider }: HttpChannelOptions, name: string): Submission {
  const { submission } = provider
  const isUnstated = submission.kind === "keyed-unstated"
  if (keyTtlMs === undefined) return isUnstated ? { kind: "unkeyed" } : submission
  if (isUnstated && keyTtlMs > 0) return { kind: "keyed", keyTtlMs }
  const message = `channel ${name}: keyTtlMs is for providers that honour keys without a stated lifetime`
  throw new SafelightError({ code: "invalid-configuration", message })
}

/**
 * Polls once. Rejects with `channel-unavailable` if the answer does not report the state of the work. A pause
 * that the provider asks for is bounded in both cases.
 */
async function pollProvider(
  wire: Wire,
  provider: Provider,
  { artifacts = [], operation, signal, upstreamKey }: PollRequest,
  unclear: UnclearAnswers,
): Promise<PollOutcome> {
  const send = wire.toSend(signal)
  let last: Reply | undefined
  let retryAfterMs: number | undefined
  const keep: Send = async (request) => {
    last = await send(request)
    const pauseMs = last.retryAfterMs ?? retryAfterMs
    retryAfterMs = pauseMs && Math.min(pauseMs, LONGEST_PAUSE_MS)
    return last
  }
  const read = await provider.poll(operation, keep, { artifacts })
  if (read?.kind !== "unclear") unclear.forget(upstreamKey)
  if (read === undefined) {
    throw unavailable(`${provider.name} ${describe(wire, last)}`, { retryAfterMs })
  }
  const isUnclear = read.kind === "unclear"
  const outcome = isUnclear ? unclear.judge(upstreamKey, read, provider.name) : read
  if (outcome.kind !== "running") {
    return wire.present(withCost(provider, outcome, last, operation), signal)
  }
  const pauseMs = Math.max(outcome.pollAfterMs, retryAfterMs ?? 0)
  return { ...outcome, pollAfterMs: Math.min(pauseMs, LONGEST_PAUSE_MS) }
}

/** For the channel's operator: an answer that does not report the state of the work. */
function describe(wire: Wire, last: Reply | undefined): string {
  const silence = "does not report the state of the work"
  if (last === undefined || !isTurnedAway(last)) return silence
  const words = toEcho(wire.hideSecrets(readWords(last.json) ?? ""), WORDS_CHARACTERS)
  return `${silence} (${[last.status, words].filter(Boolean).join(": ")})`
}

/** In a line of the log. */
const WORDS_CHARACTERS = 300

async function buy(
  wire: ModelWire,
  provider: Provider,
  asked: ChannelRequest,
): Promise<SubmitOutcome> {
  const { name } = provider
  const { isRepeat, signal } = asked
  const put = await putInTime(wire, { provider, model: wire.toModel(asked.model), request: asked })
  if (put.kind === "refused" && isRepeat === true) return REPEAT_REFUSED
  if (put.kind !== "put") return put
  const request = toPurchase(wire, provider, asked, put.parameters)
  let reply: Reply
  try {
    reply = await wire.sendOnce(request, signal)
  } catch (error) {
    if (error instanceof NotSent) return error.outcome
    throw error
  }
  const outcome = readPurchaseAnswer(provider, reply)
  // A provider may judge a request before it looks at the key, and the key may have been accepted before.
  if (outcome?.kind === "refused" && isRepeat === true) return REPEAT_REFUSED
  if (outcome !== undefined && isProof(reply, outcome)) {
    return wire.present(withCost(provider, toUnsold(outcome), reply), signal)
  }
  const message = `${name} answered ${reply.status}, which proves nothing`
  throw new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
}

function toPurchase(
  wire: ModelWire,
  { webhook }: Provider,
  asked: ChannelRequest,
  parameters: ParameterValues,
): ProviderRequest {
  const { callback, model, upstreamKey } = asked
  const request = wire.toModel(model).toPurchase(parameters, upstreamKey, asked)
  const isCalledBack = webhook !== undefined && callback !== undefined
  return isCalledBack ? addCallback(request, webhook, callback, wire.origin) : request
}

const REPEAT_REFUSED: NotCreated = { kind: "not-created", reason: "repeat_refused" }

async function putInTime(
  wire: Wire,
  place: Pick<InputPlace, "model" | "provider" | "request">,
): Promise<Awaited<ReturnType<typeof putInputs>> | CreateOutcome> {
  const { signal: caller } = place.request
  const signal = AbortSignal.any([toAbortSignal(caller), AbortSignal.timeout(PUT_INPUTS_MS)])
  let last: Reply | undefined
  const send = wire.toSend(signal)
  const keep: Send = async (request) => (last = await send(request))
  const put = await putInputs({ ...place, send: keep, signal })
  const outcome = last && put.kind === "not-created" && readUploadAnswer(place.provider, last)
  return outcome ? wire.present(outcome, signal) : put
}

/** A request that was refused before it was accepted, and not for its content, may go to another channel. */
function toUnsold(outcome: CreateOutcome): CreateOutcome {
  const isOpen = outcome.kind === "refused" && outcome.code === "provider_rejected"
  return isOpen && outcome.billed === undefined ? { isFinal: false, ...outcome } : outcome
}

/** Adds to an outcome that ends the work what the provider says it charged. */
function withCost<Outcome extends CreateOutcome | PollOutcome>(
  { readCost }: Provider,
  outcome: Outcome,
  reply: Reply | undefined,
  operation?: Json,
): Outcome {
  const isEnd = outcome.kind === "completed" || outcome.kind === "refused"
  // A create that made nothing was not charged; work that failed may have been.
  const isFailure = outcome.kind === "not-created" && operation !== undefined
  const cost = isEnd || isFailure ? readCost?.(reply, operation) : undefined
  return cost === undefined ? outcome : { ...outcome, cost }
}

/** A server that fails may have accepted the work: its answer can prove that, and nothing else. */
function isProof({ status }: Reply, { kind }: CreateOutcome): boolean {
  const isTakenIn = kind === "accepted" || kind === "completed" || kind === "pending"
  return isTakenIn || !(status >= 500 || status === 408)
}
