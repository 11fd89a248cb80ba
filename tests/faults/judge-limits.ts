/**
 * The oracle's view of limits: what an account spends, has unfinished and has running at one moment, held
 * against every limit that may have been in effect. What a reader would get wrong: a limit that is lowered
 * ends nothing, so what was there before may stay, but not grow.
 */
import type { AccountSettings } from "@safelight/core"
import type { RoundFaults } from "./round-faults.ts"

export type LimitName = "budgetMicros" | "runningTasks" | "unfinishedTasks"

/** What was read of an account at one moment between two. */
export interface AccountSample {
  readonly account: string
  readonly from: number
  readonly to: number
  /** Charged and reserved together. */
  readonly spentMicros: number
  readonly unfinishedTasks: number
  readonly runningTasks: number
  /** As kept beside the tasks; absent of an account whose sums are not kept. */
  readonly kept?: { readonly spentMicros: number; readonly unfinishedTasks: number }
}

/** Limits as somebody set them. */
export interface ToldLimits {
  readonly account: string
  readonly askedAt: number
  /** Infinity where no answer came. */
  readonly at: number
  readonly settings: Partial<Pick<AccountSettings, LimitName>>
}

/** A node goes by what it read of `runningTasks` for ten seconds, and may take a moment to read. */
const STALE_MS: Readonly<Record<LimitName, number>> = {
  budgetMicros: 0,
  unfinishedTasks: 0,
  runningTasks: 12_000,
}

const VALUES = {
  budgetMicros: "spentMicros",
  unfinishedTasks: "unfinishedTasks",
  runningTasks: "runningTasks",
} as const satisfies Record<LimitName, keyof AccountSample>

export function judgeLimits(
  samples: readonly AccountSample[],
  limits: readonly ToldLimits[],
  { disturbances, endedAt, forgotten }: Pick<RoundFaults, "disturbances" | "endedAt" | "forgotten">,
  fail: (words: string) => void,
): void {
  const firstEnd = Math.min(...endedAt.values())
  const byAccount = Map.groupBy(samples, ({ account }) => account)
  for (const [account, own] of byAccount) {
    const told = limits.filter((each) => each.account === account)
    for (const sample of own) judgeKept(sample, fail)
    // What was set is gone with the rest, and nobody can say what holds since.
    if (forgotten.length > 0) continue
    judgeOne("budgetMicros", own, told, fail)
    judgeOne("unfinishedTasks", own, told, fail)
    // A node that can't read a limit goes by none, and what a dead one leaves is taken over beyond it.
    if (disturbances.length > 0) continue
    const undisturbed = own.filter(({ to }) => to < firstEnd)
    judgeOne("runningTasks", undisturbed, told, fail)
  }
}

function judgeKept(
  { account, kept, spentMicros, unfinishedTasks }: AccountSample,
  fail: (words: string) => void,
): void {
  if (kept === undefined) return
  if (kept.spentMicros !== spentMicros || kept.unfinishedTasks !== unfinishedTasks) {
    const words = `${spentMicros} and ${unfinishedTasks} unfinished`
    fail(`${account} is kept as ${kept.spentMicros} and ${kept.unfinishedTasks}, counted ${words}`)
  }
}

function judgeOne(
  name: LimitName,
  samples: readonly AccountSample[],
  told: readonly ToldLimits[],
  fail: (words: string) => void,
): void {
  let earlier = { from: 0, value: 0 }
  for (const sample of samples) {
    const value = sample[VALUES[name]]
    const limit = toHighestLimit(name, told, earlier.from - STALE_MS[name], sample.to)
    if (limit !== null && value > Math.max(limit, earlier.value)) {
      const words = `${value} where ${limit} is allowed, and had ${earlier.value} before`
      fail(`${sample.account} has ${VALUES[name]} ${words}`)
    }
    earlier = { from: sample.from, value }
  }
}

/** The highest that may have been in effect at any moment of the span; null for none. */
function toHighestLimit(
  name: LimitName,
  told: readonly ToldLimits[],
  from: number,
  to: number,
): number | null {
  const changes = told.filter(({ settings }) => name in settings)
  const possible = changes.filter((change, index) => {
    const next = changes[index + 1]
    return change.askedAt <= to && (next === undefined || next.at >= from)
  })
  const limits = possible.map(({ settings }) => settings[name] ?? null)
  if (limits.length === 0 || limits.includes(null)) return null
  return Math.max(...limits.map(Number))
}
