/**
 * The oracle's view of holds: what was answered is kept as long as that, whatever is swept meanwhile, and what
 * was shown as succeeded can be held.
 */
import type { StoredEvent, Task } from "@safelight/core"
import { isForgotten, isShownForgotten, type RoundFaults } from "./round-faults.ts"

export interface ToldHold {
  readonly task: string
  /** When its artifacts expire, as it was answered, ms. */
  readonly expiresAt: number
  readonly at: number
}

/** Of a task that was shown as succeeded just before. */
export interface RefusedHold {
  readonly task: string
  readonly code: string
  readonly at: number
}

export function judgeHolds(
  { artifacts, id }: Task,
  events: readonly StoredEvent[],
  {
    faults,
    fail,
    holds,
    refusedHolds,
  }: {
    readonly holds: readonly ToldHold[]
    readonly refusedHolds: readonly RefusedHold[]
    readonly faults: RoundFaults
    readonly fail: (words: string) => void
  },
): void {
  const refused = refusedHolds.find(
    (each) => each.task === id && !isShownForgotten(faults, each.at),
  )
  if (refused !== undefined) fail(`the hold of ${id} was answered 409 ${refused.code}`)
  const told = holds.filter((each) => each.task === id && !isForgotten(faults, each.at))
  if (told.length === 0) return
  const until = Math.max(...told.map(({ expiresAt }) => expiresAt))
  for (const { expiresAt, key } of artifacts) {
    if (expiresAt < until)
      fail(`${key} of ${id} expires at ${expiresAt}, and is held until ${until}`)
  }
  const expired = events.find(({ type }) => type === "expired")
  if (expired !== undefined && expired.at < until) {
    fail(`task ${id} expired at ${expired.at}, and is held until ${until}`)
  }
}
