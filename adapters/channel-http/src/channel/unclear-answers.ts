/**
 * Answers about work that is over, in which its declaration can read neither a result nor a failure. One may
 * be a proxy's, or pass; a provider that repeats the same one has no other.
 */
import { createBoundedCache, type PollOutcome } from "@safelight/core"
import { unavailable } from "../declaration/unavailable.ts"
import type { Unclear } from "../declaration/provider.ts"
import type { Reply } from "../declaration/provider-request.ts"

/** More in a row than a hiccup brings. */
const ANSWERS = 5

/** Between two of them, at least: with those before it, they take a minute. */
const PAUSE_MS = 15_000

/** Work whose answers are counted: more than a channel ends at once. */
const MOST_WORK = 10_000

export interface UnclearAnswers {
  /** The meaning of the answer once it has come often enough. Throws `channel-unavailable` before that. */
  judge(work: string, answer: Unclear, provider: string): PollOutcome
  /** The work had another answer. */
  forget(work: string): void
}

/** Counted by one process: another one, or the next, begins anew. */
export function createUnclearAnswers(): UnclearAnswers {
  const counts = createBoundedCache<{ readonly text: string; readonly count: number }>(MOST_WORK)
  return {
    judge(work, { answer, meaning }, provider) {
      const text = toText(answer)
      const before = counts.get(work)
      const count = before?.text === text ? before.count + 1 : 1
      if (count >= ANSWERS) {
        counts.delete(work)
        return meaning
      }
      counts.set(work, { text, count })
      const message = `${provider} reports that the work is over, and not its result (${answer.status})`
      throw unavailable(message, { retryAfterMs: Math.max(PAUSE_MS, answer.retryAfterMs ?? 0) })
    },
    forget: (work) => counts.delete(work),
  }
}

function toText({ json, status }: Reply): string {
  return `${status} ${JSON.stringify(json)}`
}
