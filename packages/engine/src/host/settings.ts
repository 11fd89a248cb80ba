/** The numbers an engine runs by, each with its reason. Durations in milliseconds. */
import { SafelightError, type Channel } from "@safelight/core"

export interface EngineSettings {
  /** A worker lease that stands still for this long expires, and its tasks may be taken over. */
  readonly leaseMs: number
  /** A task that is not finished by then fails (`generation_timeout`). */
  readonly endAfterMs: number
  /**
   * Attempts that a channel accepts and that come to nothing, before the task fails. A call that
   * proves nothing was created, and a repeat of the same key, use none up: they end with `endBy`.
   */
  readonly maxAttempts: number
  /** How long a 202 may wait where a channel answers at once. */
  readonly graceMs: number
  /** How long artifacts are kept where their account has no time of its own (specification §1). */
  readonly retentionMs: number
  /** How long after its task's end, or its expiry, an artifact's bytes are removed. */
  readonly removeAfterMs: number
  /**
   * How long after its database was adopted the bytes of a task from before stay: another database
   * may have them in its manifests.
   */
  readonly adoptionHoldMs: number
  /**
   * How long after its task's end what a person or a provider wrote for it is kept: prompt, URLs, inline
   * media. A sweep then erases it.
   */
  readonly inputRetentionMs: number
  /** How long an idempotency key stands for its task; a sweep then forgets it. */
  readonly idempotencyMs: number
  /** How long a quote is valid. A restart with new prices ends it at once. */
  readonly quoteMs: number
  /**
   * How long what happens to an account's tasks is kept for its streams, and stays kept once nobody
   * reads them: a reader who comes back later than that starts over.
   */
  readonly feedMs: number
  /** How often the queue and the feeds are looked at when nothing wakes the engine. */
  readonly idlePollMs: number
  /** The first pause after a failure; it doubles up to `backoffMaxMs`. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
  /** Progress is recorded in steps of this many percent, so that a log stays short. */
  readonly progressStep: number
  /** Submissions accepted at once in this process; more are refused as `overloaded`. */
  readonly maxSubmissions: number
  /** One long poll of a channel. */
  readonly pollTimeoutMs: number
  /** Failures in a row after which a channel gets nothing new for `breakerOpenMs`. */
  readonly breakerFailures: number
  readonly breakerOpenMs: number
}

export const DEFAULTS: EngineSettings = {
  // A process or a database may stand still for ten seconds; what a killed process held goes on within twenty.
  leaseMs: 15_000,
  // Thirty seconds of video take minutes, not hours.
  endAfterMs: 3_600_000,
  maxAttempts: 5,
  // A client's HTTP time-out is rarely shorter than this.
  graceMs: 2_000,
  retentionMs: 14 * 86_400_000,
  // A transfer that began in time continues; nobody downloads for a day.
  removeAfterMs: 86_400_000,
  // Twice as long as artifacts are kept: what an original made of the same tasks has expired there.
  adoptionHoldMs: 30 * 86_400_000,
  // As long as what was made of it.
  inputRetentionMs: 14 * 86_400_000,
  // Longer than any client repeats a request; as long as what the task made is there to be had.
  idempotencyMs: 14 * 86_400_000,
  // Time enough for a person to decide.
  quoteMs: 3_600_000,
  feedMs: 3_600_000,
  idlePollMs: 1_000,
  backoffMs: 500,
  backoffMaxMs: 30_000,
  progressStep: 10,
  // Half a second of work for a fast storage: who waits longer had better come back. With
  // prompts of some kilobytes they take tens of megabytes.
  maxSubmissions: 10_000,
  pollTimeoutMs: 30_000,
  breakerFailures: 5,
  breakerOpenMs: 15_000,
}

const MAY_BE_ZERO: ReadonlySet<string> = new Set(["graceMs"])

/** Fills in the defaults. Throws `invalid-configuration`, naming the setting, on a wrong one. */
export function toSettings(
  given: Partial<EngineSettings> | undefined,
  channels: readonly Channel[],
): EngineSettings {
  const settings: EngineSettings = { ...DEFAULTS, ...given }
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(DEFAULTS, name)) throw invalid(`${name} is not a setting of the engine`)
    if (!Number.isSafeInteger(value) || value < (MAY_BE_ZERO.has(name) ? 0 : 1)) {
      throw invalid(`${name} must be a positive integer`)
    }
  }
  for (const channel of channels) checkTimes(channel)
  return settings
}

/** How long a request of the channel may take to leave. */
export function toSendWithinMs({ sendWithinMs, submitTimeoutMs }: Channel): number {
  return sendWithinMs ?? submitTimeoutMs
}

function checkTimes({ name, sendWithinMs, submission, submitTimeoutMs }: Channel): void {
  // A call that may outlive its lease is found by others, who ask for the key once this has passed.
  const longestMs = submission.kind === "lookup" ? submission.longestRequestMs : Infinity
  if (sendWithinMs !== undefined && longestMs < submitTimeoutMs) {
    throw invalid(`longestRequestMs of channel ${name} must be at least its submitTimeoutMs`)
  }
}

/** The pause before try `attempt` (from 1): doubling, bounded. */
export function toBackoffMs(settings: EngineSettings, attempt: number): number {
  return Math.min(settings.backoffMs * 2 ** Math.max(0, attempt - 1), settings.backoffMaxMs)
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
