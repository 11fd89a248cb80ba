/**
 * One answer for many callers, who may ask at any rate. A question is asked once at a time, however long it takes, and
 * its answer is used again for a while. So requests never pile up at a part that hangs, and no caller waits for it for
 * long:
 *
 *     no answer -> asking -> answered -> (freshMs after the answer) no answer
 *                     `- patienceMs after the question: callers are refused until the answer comes
 */
import { SafelightError, type Clock } from "@safelight/core"

export interface KeptAnswer<Value> {
  /**
   * Resolves to the answer that is fresh, or to that of the request in progress. Rejects as the request did, and with
   * `overloaded` if it takes longer than `patienceMs`.
   */
  ask(): Promise<Value>
  /** The answer, if it came within `withinMs` and no request has failed since; otherwise undefined. */
  latest(withinMs: number): Value | undefined
}

export interface KeptAnswerOptions<Value> {
  /** Who is asked, for messages. */
  readonly name: string
  readonly question: () => Promise<Value>
  readonly freshMs: number
  /** How long a failure is kept; as long as an answer by default. */
  readonly failureFreshMs?: number
  readonly patienceMs: number
  readonly clock: Pick<Clock, "monotonicNow" | "wait">
  /** Called once for each request that failed. */
  readonly onFailure?: (error: unknown) => void
}

type Said<Value> = { readonly value: Value } | { readonly error: unknown }

export function createKeptAnswer<Value>(options: KeptAnswerOptions<Value>): KeptAnswer<Value> {
  const { freshMs, failureFreshMs = freshMs, patienceMs } = options
  const { name, question, clock, onFailure = () => {} } = options
  let said: Said<Value> | undefined
  let saidAt = -Infinity
  let freshUntil = -Infinity
  let asking: Promise<Value> | undefined

  function keep(answer: Said<Value>, forMs: number): void {
    said = answer
    saidAt = clock.monotonicNow()
    freshUntil = saidAt + forMs
    asking = undefined
  }

  async function askNow(): Promise<Value> {
    try {
      const value = await question()
      keep({ value }, freshMs)
      return value
    } catch (error) {
      keep({ error }, failureFreshMs)
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
      const isFresh = clock.monotonicNow() < freshUntil
      if (!isFresh || said === undefined) {
        // A moment later, so that `asking` is set before the request can have ended.
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
