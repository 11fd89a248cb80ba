/**
 * A question to a piece that others may have asked at any rate: asked once at a time however long it
 * takes, and its answer is believed for a while from when it came. So questions never pile up on a
 * piece that hangs, and nobody waits for it for long:
 *
 *     nothing known -> asking -> believed -> (believedMs after the answer) nothing known
 *                         `- patienceMs after the question: a no to whoever asks, until the answer
 */
import { SafelightError, type Clock } from "@safelight/core"

export interface KeptAnswer<Value> {
  /**
   * What is believed, or what the question that is under way comes to. Rejects as the question did,
   * with `overloaded` where it takes longer than `patienceMs`.
   */
  ask(): Promise<Value>
  /** What was said less than so long ago; undefined where nothing was, or the question failed since. */
  latest(withinMs: number): Value | undefined
}

export interface KeptAnswerOptions<Value> {
  /** Who is asked, for people. */
  readonly name: string
  readonly question: () => Promise<Value>
  readonly believedMs: number
  /** Of a failure; as long by default. */
  readonly failureBelievedMs?: number
  readonly patienceMs: number
  readonly clock: Pick<Clock, "monotonicNow" | "wait">
  /** Hears of each question that failed, once. */
  readonly onFailure?: (error: unknown) => void
}

type Said<Value> = { readonly value: Value } | { readonly error: unknown }

export function createKeptAnswer<Value>(options: KeptAnswerOptions<Value>): KeptAnswer<Value> {
  const { believedMs, failureBelievedMs = believedMs, patienceMs } = options
  const { name, question, clock, onFailure = () => {} } = options
  let said: Said<Value> | undefined
  let saidAt = -Infinity
  let believedUntil = -Infinity
  let asking: Promise<Value> | undefined

  function keep(answer: Said<Value>, forMs: number): void {
    said = answer
    saidAt = clock.monotonicNow()
    believedUntil = saidAt + forMs
    asking = undefined
  }

  async function askNow(): Promise<Value> {
    try {
      const value = await question()
      keep({ value }, believedMs)
      return value
    } catch (error) {
      keep({ error }, failureBelievedMs)
      onFailure(error)
      throw error
    }
  }

  async function inTime(asked: Promise<Value>): Promise<Value> {
    const over = new AbortController()
    const late = clock.wait(patienceMs, over.signal).then(() => {
      const message = `${name} took too long to answer`
      throw new SafelightError({ code: "overloaded", message, retryable: true })
    })
    // It is over in either case.
    late.catch(() => {})
    try {
      return await Promise.race([asked, late])
    } finally {
      over.abort()
    }
  }

  return {
    async ask() {
      const isBelieved = clock.monotonicNow() < believedUntil
      if (!isBelieved || said === undefined) {
        // A moment later, so that `asking` is set before the question can have ended.
        return (asking ??= inTime(Promise.resolve().then(askNow)))
      }
      if ("error" in said) throw said.error
      return said.value
    },
    latest(withinMs) {
      const isRecent = clock.monotonicNow() - saidAt < withinMs
      return isRecent && said !== undefined && "value" in said ? said.value : undefined
    },
  }
}
