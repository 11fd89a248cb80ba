/**
 * A channel that replies as a test scripts it, call by call, and records every call. It keeps created
 * operations by upstream key, as a provider would: a keyed channel answers a repeat with the same operation,
 * a lookup channel finds it, and an unkeyed one creates it once more.
 */
import type {
  CancelOutcome,
  Channel,
  ChannelRequest,
  FindRequest,
  Json,
  PollOutcome,
  PollRequest,
  Submission,
  SubmitOutcome,
} from "@safelight/core"

/** The work was created, and the answer that says so is lost: the call rejects. */
export interface LostAnswer {
  readonly kind: "lost"
  readonly operation: Json
}

/** A reply of the script: an outcome, an error to reject with, or a function that makes either. */
export type Reply<Request, Outcome> =
  | Outcome
  | Error
  | ((request: Request) => Outcome | Error | Promise<Outcome | Error>)

export type SubmitReply = Reply<ChannelRequest, SubmitOutcome | LostAnswer>
export type PollReply = Reply<PollRequest, PollOutcome>

export interface ScriptedCall {
  readonly method: "submit" | "poll" | "find" | "cancel"
  readonly request: ChannelRequest | FindRequest | PollRequest
}

export interface ScriptedChannelOptions {
  readonly name?: string
  readonly models?: readonly string[]
  /** Unkeyed by default; a lookup channel has `find`. */
  readonly submission?: Submission
  readonly concurrency?: number
  readonly submitTimeoutMs?: number
  readonly sendWithinMs?: number
  readonly answersAtOnce?: boolean
  /** The answer of `cancel`, or what makes it; `stopped` by default. */
  readonly cancelOutcome?:
    | CancelOutcome
    | ((request: PollRequest) => CancelOutcome | Promise<CancelOutcome>)
  readonly requestsPerMinute?: number
  readonly isFree?: boolean
  /** Replies in the order of the calls; a call past the last rejects and is recorded. */
  readonly submits?: readonly SubmitReply[]
  readonly polls?: readonly PollReply[]
}

export interface ScriptedChannel extends Channel {
  /** Every call, oldest first. */
  readonly calls: readonly ScriptedCall[]
  /** The upstream key of every created operation; a key that is listed twice was bought twice. */
  readonly created: readonly string[]
  /** Adds to the script. */
  readonly willSubmit: (...replies: readonly SubmitReply[]) => void
  readonly willPoll: (...replies: readonly PollReply[]) => void
}

export function createScriptedChannel(options: ScriptedChannelOptions = {}): ScriptedChannel {
  const { submission = { kind: "unkeyed" }, answersAtOnce = false } = options
  const submits = [...(options.submits ?? [])]
  const polls = [...(options.polls ?? [])]
  const calls: ScriptedCall[] = []
  const created: string[] = []
  const operations = new Map<string, Json>()

  async function submit(request: ChannelRequest): Promise<SubmitOutcome> {
    calls.push({ method: "submit", request })
    if (request.signal.aborted) throw new Error("the call was called off before it began")
    const known = operations.get(request.upstreamKey)
    if (submission.kind === "keyed" && known !== undefined) {
      return { kind: "accepted", operation: known }
    }
    const outcome = await toOutcome("submit", submits, request)
    if (outcome.kind === "not-created" || outcome.kind === "refused") return outcome
    if (outcome.kind === "busy" || outcome.kind === "pending") return outcome
    created.push(request.upstreamKey)
    if (outcome.kind !== "completed") operations.set(request.upstreamKey, outcome.operation)
    if (outcome.kind === "lost") throw new Error("the answer was lost")
    return outcome
  }

  async function find(request: FindRequest): Promise<{ readonly operation: Json } | null> {
    calls.push({ method: "find", request })
    const operation = operations.get(request.upstreamKey)
    return operation === undefined ? null : { operation }
  }

  return {
    name: options.name ?? "scripted",
    models: options.models ?? ["model-a"],
    submission,
    concurrency: options.concurrency ?? 8,
    submitTimeoutMs: options.submitTimeoutMs ?? 10_000,
    ...toLimits(options),
    calls,
    created,
    submit,
    async poll(request) {
      calls.push({ method: "poll", request })
      return toOutcome("poll", polls, request)
    },
    ...(submission.kind === "lookup" ? { find } : {}),
    async cancel(request) {
      calls.push({ method: "cancel", request })
      const { cancelOutcome = "stopped" } = options
      return typeof cancelOutcome === "function" ? cancelOutcome(request) : cancelOutcome
    },
    answersAtOnce: () => answersAtOnce,
    willSubmit(...replies) {
      submits.push(...replies)
    },
    willPoll(...replies) {
      polls.push(...replies)
    },
  }
}

function toLimits(
  options: ScriptedChannelOptions,
): Pick<Channel, "isFree" | "requestsPerMinute" | "sendWithinMs"> {
  const { isFree, requestsPerMinute, sendWithinMs } = options
  return {
    ...(isFree !== undefined && { isFree }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(sendWithinMs !== undefined && { sendWithinMs }),
  }
}

async function toOutcome<Request, Outcome>(
  method: string,
  script: Reply<Request, Outcome>[],
  request: Request,
): Promise<Outcome> {
  const reply = script.shift()
  if (reply === undefined) throw new Error(`the script has no reply left for ${method}`)
  const outcome = isFunction(reply) ? await reply(request) : reply
  if (outcome instanceof Error) throw outcome
  return outcome
}

function isFunction<Request, Outcome>(
  reply: Reply<Request, Outcome>,
): reply is (request: Request) => Outcome | Error | Promise<Outcome | Error> {
  return typeof reply === "function"
}
