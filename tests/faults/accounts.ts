/**
 * The accounts of a round, as data: one that may do anything, so that every round gets on, and others
 * that are limited, each in its own way. What a reader would get wrong: the settings are those of the
 * beginning; the operator changes some of them on the way (`desk.ts`).
 */
import type { AccountSettings } from "@safelight/core"

export interface AccountPlan {
  readonly id: string
  readonly settings: Partial<AccountSettings>
  /** Its share of the requests. */
  readonly weight: number
}

/** Without limits: what it asks for is never refused. */
export const MAIN = "faults"
/** Has a budget, and few tasks at once. */
export const THRIFTY = "faults-thrifty"
/** Few of its tasks run at once, and it may ask only so often. */
export const BOUNDED = "faults-bounded"
/** Its keys are replaced and revoked, and it is suspended now and then. */
export const WAVERING = "faults-wavering"

const DAY_MS = 86_400_000

export const ACCOUNTS: readonly AccountPlan[] = [
  { id: MAIN, weight: 10, settings: { maxRetentionMs: 60 * DAY_MS } },
  { id: THRIFTY, weight: 3, settings: { budgetMicros: 300_000, unfinishedTasks: 6 } },
  {
    id: BOUNDED,
    weight: 3,
    settings: {
      runningTasks: 2,
      unfinishedTasks: 12,
      rates: { create: { requests: 20, windowMs: 1_000 }, read: null, content: null },
    },
  },
  { id: WAVERING, weight: 3, settings: { maxRetentionMs: 20 * DAY_MS } },
]

/** Of a round that is about one account. */
export function onlyMain(settings: Partial<AccountSettings>): readonly AccountPlan[] {
  return [{ id: MAIN, weight: 1, settings }]
}
