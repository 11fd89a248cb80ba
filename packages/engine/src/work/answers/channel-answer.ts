/**
 * What a channel answered, as the engine may act on it. An answer that proves something is repaired
 * if no charge depends on it, and `note` is called; a result that can't be stored or charged is a
 * failure; what proves nothing throws `channel-answer-invalid`, which leaves a purchase in doubt and
 * has anything else asked again.
 */
import {
  isFailureCode,
  isSafelightError,
  isTimed,
  SafelightError,
  toDeclaredKind,
  type CancelOutcome,
  type ChannelOutput,
  type Completed,
  type Json,
  type LinkedOutput,
  type Model,
  type NotCreated,
  type OpenedOutput,
  type PollOutcome,
  type ProviderCost,
  type Refused,
  type Running,
  type SubmitOutcome,
} from "@safelight/core"
import { toChannelFault } from "./channel-fault.ts"
import {
  isRecord,
  toCount,
  toMessage,
  toMimeType,
  toOperation,
  toPauseMs,
  toProviderCost,
  toReason,
  toSha256,
  toWords,
} from "./answer-parts.ts"
import { toDurationMs } from "../../media/to-duration-ms.ts"

type Answer = Readonly<Record<string, unknown>>

/** Where an answer was not what it must be, and what was made of it. */
export interface AnswerNotes {
  /** The outcome stands; `what` was left out or replaced. */
  repaired(what: string): void
  /** The outcome became a failure because of `what`; `operation` is its handle, where it has one. */
  failed(what: string, operation: Json | undefined): void
}

export interface AnswerContext {
  readonly channel: string
  /** What was asked for; undefined where the model is not served here. */
  readonly artifacts: Model["artifacts"] | undefined
  readonly isKeyed: boolean
  /** Whether the engine can measure what the channel has not measured. */
  readonly hasInspector: boolean
  /** Whether the channel says where its outputs may be fetched from. */
  readonly hasOrigins: boolean
  readonly notes: AnswerNotes
}

export function parseSubmitAnswer(value: unknown, context: AnswerContext): SubmitOutcome {
  const answer = requireAnswer(value, context)
  switch (answer["kind"]) {
    case "accepted":
      return { kind: "accepted", operation: requireOperation(answer, context) }
    case "busy":
      return { ...parsePause(answer, context), kind: "busy" }
    case "pending":
      if (context.isKeyed) return { kind: "pending" }
      throw invalid(context, "only a key that is honoured can be sent again")
    default:
      return parseEnd(answer, context)
  }
}

export function parsePollAnswer(value: unknown, context: AnswerContext): PollOutcome {
  const answer = requireAnswer(value, context)
  return answer["kind"] === "running" ? parseRunning(answer, context) : parseEnd(answer, context)
}

export function parseFindAnswer(
  value: unknown,
  context: AnswerContext,
): { readonly operation: Json } | null {
  if (value === null) return null
  return { operation: requireOperation(requireAnswer(value, context), context) }
}

/** An answer that says nothing leaves it open whether the work continues. */
export function parseCancelAnswer(value: unknown, { notes }: AnswerContext): CancelOutcome {
  if (value === "stopped" || value === "too-late" || value === "unknown") return value
  notes.repaired("cancel answers none of stopped, too-late and unknown")
  return "unknown"
}

function parseEnd(answer: Answer, context: AnswerContext): Completed | Refused | NotCreated {
  switch (answer["kind"]) {
    case "completed":
      return parseCompleted(answer, context)
    case "refused":
      return parseRefused(answer, context)
    case "not-created":
      return parseNotCreated(answer, context)
    default:
      throw invalid(context, "its kind is none")
  }
}

/** A channel that doesn't say when is asked again after this. */
const POLL_AFTER_MS = 1_000

function parseRunning({ progress, pollAfterMs }: Answer, { notes }: AnswerContext): Running {
  const isTold = typeof progress === "number" && Number.isFinite(progress)
  if (!isTold && progress !== undefined) notes.repaired("progress is no number")
  const pauseMs = toPauseMs(pollAfterMs)
  if (pauseMs === undefined) notes.repaired("pollAfterMs is no duration")
  const running = { kind: "running", pollAfterMs: pauseMs ?? POLL_AFTER_MS } as const
  return isTold ? { ...running, progress } : running
}

function parseNotCreated(answer: Answer, context: AnswerContext): NotCreated {
  const isAboutRequest = answer["isAboutRequest"] === true
  const needsOperator = answer["needsOperator"] === true
  const providerWords = toWords(answer["providerWords"])
  return {
    kind: "not-created",
    ...parsePause(answer, context),
    ...(isAboutRequest && { isAboutRequest }),
    ...(needsOperator && { needsOperator }),
    ...(providerWords !== undefined && { providerWords }),
    ...parseCost(answer, context),
  }
}

/** A cost that is none is left out: no result is lost for it. */
function parseCost({ cost }: Answer, { notes }: AnswerContext): { readonly cost?: ProviderCost } {
  if (cost === undefined) return {}
  const told = toProviderCost(cost)
  if (told === undefined) notes.repaired("cost is no amount with a unit")
  return told === undefined ? {} : { cost: told }
}

/** Why there is nothing for now, and for how long. */
function parsePause(
  { reason, retryAfterMs }: Answer,
  { notes }: AnswerContext,
): Pick<NotCreated, "reason" | "retryAfterMs"> {
  const told = toReason(reason)
  if (told !== reason) notes.repaired("reason is empty, too long or no text")
  const pauseMs = toPauseMs(retryAfterMs)
  if (pauseMs === undefined && retryAfterMs !== undefined) {
    notes.repaired("retryAfterMs is no duration")
  }
  return { reason: told, ...(pauseMs !== undefined && { retryAfterMs: pauseMs }) }
}

function parseRefused(answer: Answer, context: AnswerContext): Refused {
  const { notes } = context
  const { code } = answer
  const isKnown = typeof code === "string" && isFailureCode(code)
  if (!isKnown) notes.repaired("code is none of a failure")
  const message = toMessage(answer["message"])
  const providerWords = toWords(answer["providerWords"])
  const billed = toBilled(answer["billed"])
  if (billed === undefined && answer["billed"] !== undefined) {
    notes.repaired("billed is not maybe and holds no counts, so nothing is charged")
  }
  return {
    kind: "refused",
    code: isKnown ? code : "provider_rejected",
    ...(message !== undefined && { message }),
    ...(providerWords !== undefined && { providerWords }),
    ...(billed !== undefined && { billed }),
    ...parseCost(answer, context),
    ...(answer["isFinal"] === false && { isFinal: false }),
  }
}

function toBilled(value: unknown): Refused["billed"] {
  if (value === "maybe") return value
  if (!isRecord(value)) return undefined
  const [images, outputVideoMs] = [toCount(value["images"]), toCount(value["outputVideoMs"])]
  return images === undefined || outputVideoMs === undefined ? undefined : { images, outputVideoMs }
}

function parseCompleted(answer: Answer, context: AnswerContext): Completed | Refused {
  const { notes } = context
  const operation = toOperation(answer["operation"])
  if (operation === undefined && answer["operation"] !== undefined) {
    notes.repaired("operation is no plain JSON, or too long")
  }
  const cost = parseCost(answer, context)
  const tokens = toCount(answer["tokens"])
  if (tokens === undefined && answer["tokens"] !== undefined) notes.repaired("tokens is no count")
  const results = parseResults(answer, context)
  if (typeof results === "string") {
    notes.failed(results, operation)
    // It was made all the same.
    return { kind: "refused", code: "internal_error", billed: "maybe", ...cost }
  }
  const handle = operation !== undefined && { operation }
  const used = tokens !== undefined && { tokens }
  return { kind: "completed", ...handle, ...results, ...cost, ...used }
}

/** What is stored and charged; or why it can be neither. */
function parseResults(
  { outputs, inputVideosMs = [] }: Answer,
  context: AnswerContext,
): Pick<Completed, "outputs" | "inputVideosMs"> | string {
  if (!Array.isArray(outputs)) return "outputs is no list"
  if (!Array.isArray(inputVideosMs)) return "inputVideosMs is no list"
  const inputs = inputVideosMs.map(toDurationMs)
  if (!isWhole(inputs)) return "inputVideosMs holds what is no duration"
  const parsed: ChannelOutput[] = []
  for (const [position, output] of outputs.entries()) {
    const one = parseOutput(output, context)
    if (typeof one === "string") return `outputs[${position}]${one}`
    parsed.push(one)
  }
  return { outputs: parsed, ...(inputs.length > 0 && { inputVideosMs: inputs }) }
}

function parseOutput(output: unknown, context: AnswerContext): ChannelOutput | string {
  if (!isRecord(output)) return " is no object"
  const sha256 = toSha256(output["sha256"])
  if (sha256 === undefined && output["sha256"] !== undefined) {
    context.notes.repaired("sha256 of an output is no digest")
  }
  const parsed = "url" in output ? parseLinked(output, context) : parseOpened(output, context)
  return typeof parsed === "string" || sha256 === undefined ? parsed : { ...parsed, sha256 }
}

function parseOpened(output: Answer, context: AnswerContext): OpenedOutput | string {
  const { artifacts, hasInspector } = context
  if (!isOpened(output)) return ".open is no function"
  const mimeType = toMimeType(output["mimeType"])
  if (mimeType === undefined) return ".mimeType is none"
  const durationMs = toDurationMs(output["durationMs"])
  if (durationMs === undefined && output["durationMs"] !== undefined) {
    return ".durationMs is no duration"
  }
  // A video or a sound is charged by its length: one that nobody measured would cost nothing.
  const isUnmeasured = durationMs === undefined && !hasInspector
  if (isTimedOutput(artifacts, mimeType) && (isUnmeasured || durationMs === 0)) {
    return ".durationMs is missing"
  }
  return { mimeType, open: toSafeOpen(output), ...(durationMs !== undefined && { durationMs }) }
}

function isTimedOutput(artifacts: AnswerContext["artifacts"] = [], mimeType: string): boolean {
  const kind = artifacts.length === 1 ? artifacts[0] : toDeclaredKind(mimeType)
  return kind !== undefined && isTimed(kind)
}

/**
 * The bytes as the channel gives them. What it throws meanwhile is an error of the outside: the engine
 * opens the output again, as it does when a bucket or a network fails.
 */
function toSafeOpen(output: Pick<OpenedOutput, "open">): OpenedOutput["open"] {
  return async function* open(signal) {
    try {
      yield* output.open(signal)
    } catch (error) {
      if (isSafelightError(error)) throw error
      const message = "a channel could not hand out an output that it made"
      const cause = toChannelFault(error)
      throw new SafelightError({ code: "media_download_failed", message, retryable: true, cause })
    }
  }
}

function parseLinked(output: Answer, { hasOrigins }: AnswerContext): LinkedOutput | string {
  const { expiresAt, headers, url } = output
  if (!hasOrigins) return ".url can't be fetched: its channel names no outputOrigins"
  if (typeof url !== "string" || !isFetchable(url)) return ".url is none"
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) return ".expiresAt is no moment"
  if (headers !== undefined && !isHeaders(headers)) return ".headers holds what is no text"
  return {
    url,
    ...(headers !== undefined && { headers }),
    ...(expiresAt !== undefined && { expiresAt: Number(expiresAt) }),
  }
}

/** Longer than any that a provider signs. */
const URL_CHARACTERS = 16_384

function isFetchable(url: string): boolean {
  return url.length <= URL_CHARACTERS && /^https?:$/.test(URL.parse(url)?.protocol ?? "")
}

function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((each) => typeof each === "string")
}

function isOpened(output: Answer): output is Answer & Pick<OpenedOutput, "open"> {
  return typeof output["open"] === "function"
}

function isWhole<Item>(items: readonly (Item | undefined)[]): items is readonly Item[] {
  return !items.includes(undefined)
}

function requireAnswer(value: unknown, context: AnswerContext): Answer {
  if (isRecord(value)) return value
  throw invalid(context, "it is no object")
}

function requireOperation(answer: Answer, context: AnswerContext): Json {
  const operation = toOperation(answer["operation"])
  if (operation !== undefined) return operation
  throw invalid(context, "its operation is missing, no plain JSON, or too long")
}

function invalid({ channel }: AnswerContext, why: string): SafelightError {
  const message = `an answer of channel ${channel} means nothing: ${why}`
  return new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
}
