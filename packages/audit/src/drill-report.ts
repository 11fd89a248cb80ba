/** What a comparison of a copy with its original found, gathered task by task: counts, sums, and the first findings. */
import type { StoredEvent, TaskState } from "@safelight/core"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"
import { NEXT_STEPS, type NextStep } from "./next-step.ts"
import { createPurchaseLedger, type PurchaseLedger, type PurchaseReport } from "./purchase-sums.ts"
import type { AuditOutcome } from "./report.ts"

/** Why a copy is no earlier state of the original. */
export type DrillFinding =
  /** Another event stands in the place of `version`; `expected` is the original's hash. */
  | {
      readonly kind: "forked"
      readonly task: string
      readonly version: number
      readonly expected: string
      readonly found: string
    }
  /** The copy has events that the original lacks: `version` is its newest, `expected` the original's. */
  | {
      readonly kind: "ahead"
      readonly task: string
      readonly version: number
      readonly expected: number
    }

/** Charges are integer micro-units of the price tables. */
export interface DrillLoss extends FindingReport<DrillFinding>, PurchaseReport {
  /** Of the original, when it was read. */
  readonly tasks: number
  readonly events: number
  /** The newest event, ms; null without any. */
  readonly newestAt: number | null
  /** Whether each task of the copy is as it was in the original at some moment. */
  readonly isPrefix: boolean
  /** Tasks that the copy has never heard of. */
  readonly lostTasks: number
  /** Those of them that are not finished. */
  readonly lostUnfinishedTasks: number
  /** Tasks that the copy knows in an earlier state. */
  readonly earlierTasks: number
  /** Events that the copy lacks, of both. */
  readonly missingEvents: number
  /** From the newest event of the copy to the newest that it lacks; 0 if it lacks none. */
  readonly lostMs: number
  /** What the missing events charge. */
  readonly forgottenMicros: {
    readonly total: number
    readonly byAccount: Readonly<Record<string, number>>
  }
  /** Tasks that had finished, and are unfinished in the copy, which holds their reservations again. */
  readonly reopened: { readonly tasks: number; readonly reservationMicros: number }
}

export interface DrillReport {
  /** `whole` if the copy lacks nothing of the original, or there is none. */
  readonly outcome: AuditOutcome
  /** Of the copy. */
  readonly tasks: number
  readonly events: number
  /** The newest event: up to then the copy reaches, ms; null without any. */
  readonly newestAt: number | null
  readonly tasksByState: Readonly<Partial<Record<TaskState, number>>>
  readonly unfinishedTasks: number
  /** What becomes of unfinished tasks once the copy is served. */
  readonly nextSteps: Readonly<Record<NextStep, number>>
  /** Tasks whose events can't be read: they are in no state and no step. */
  readonly untoldTasks: number
  /** Null without an original. */
  readonly loss: DrillLoss | null
}

/** Adds up; the caller says what happened. */
export interface DrillLedger extends LossLedger, PlaceLedger, Pick<PurchaseLedger, "buy"> {
  readonly copy: Counts
  readonly original: Counts
  readonly find: (finding: DrillFinding) => void
  toReport(): DrillReport
}

interface LossLedger {
  /** A task of the copy lacks these. */
  readonly fallBehind: (events: readonly StoredEvent[]) => void
  /** The copy has none of these, which are all of a task. */
  readonly lose: (events: readonly StoredEvent[], isFinished: boolean) => void
  readonly forget: (account: string, chargeMicros: number) => void
  readonly reopen: (reservationMicros: number) => void
}

interface PlaceLedger {
  /** A task of the copy; `next` if it is not finished. */
  readonly place: (state: TaskState, next: NextStep | undefined) => void
  readonly untold: () => void
}

export function createDrillLedger(hasOriginal: boolean): DrillLedger {
  const [copy, original] = [createCounts(), createCounts()]
  const findings = createKeptFindings<DrillFinding>()
  const { toReport: toPurchases, ...purchases } = createPurchaseLedger()
  const { toReport: toPlaces, ...places } = createPlaceLedger()
  const { toReport: toLosses, ...losses } = createLossLedger()

  function toLoss(copyAt: number | null): DrillLoss {
    const { newestLostAt, ...lost } = toLosses()
    const { findingCount } = findings.toReport()
    return {
      ...original.toCounts(),
      ...findings.toReport(),
      ...lost,
      ...toPurchases(),
      isPrefix: findingCount === 0,
      lostMs: newestLostAt === null ? 0 : Math.max(0, newestLostAt - (copyAt ?? newestLostAt)),
    }
  }

  function toOutcome({ untoldTasks }: Pick<DrillReport, "untoldTasks">): AuditOutcome {
    const isLess = toLosses().missingEvents > 0 || findings.toReport().findingCount > 0
    if (isLess) return "differs"
    return untoldTasks > 0 ? "could-not-tell" : "whole"
  }

  return {
    copy,
    original,
    find: findings.add,
    ...purchases,
    ...places,
    ...losses,
    toReport() {
      const [counts, placed] = [copy.toCounts(), toPlaces()]
      const loss = hasOriginal ? toLoss(counts.newestAt) : null
      return { outcome: toOutcome(placed), ...counts, ...placed, loss }
    },
  }
}

type Losses = Pick<
  DrillLoss,
  | "earlierTasks"
  | "forgottenMicros"
  | "lostTasks"
  | "lostUnfinishedTasks"
  | "missingEvents"
  | "reopened"
> & { readonly newestLostAt: number | null }

function createLossLedger(): LossLedger & { readonly toReport: () => Losses } {
  const missing = createCounts()
  const byAccount = new Map<string, number>()
  const counts = { lostTasks: 0, lostUnfinishedTasks: 0, earlierTasks: 0 }
  const reopened = { tasks: 0, reservationMicros: 0 }
  let total = 0
  return {
    fallBehind(events) {
      counts.earlierTasks += 1
      missing.count(events)
    },
    lose(events, isFinished) {
      counts.lostTasks += 1
      if (!isFinished) counts.lostUnfinishedTasks += 1
      missing.count(events)
    },
    forget(account, chargeMicros) {
      total += chargeMicros
      byAccount.set(account, (byAccount.get(account) ?? 0) + chargeMicros)
    },
    reopen(reservationMicros) {
      reopened.tasks += 1
      reopened.reservationMicros += reservationMicros
    },
    toReport() {
      const { events: missingEvents, newestAt: newestLostAt } = missing.toCounts()
      const forgottenMicros = { total, byAccount: Object.fromEntries(byAccount) }
      return { ...counts, missingEvents, newestLostAt, forgottenMicros, reopened }
    },
  }
}

interface Counts {
  /** One task's. */
  readonly count: (events: readonly StoredEvent[]) => void
  readonly toCounts: () => Pick<DrillReport, "events" | "newestAt" | "tasks">
}

function createCounts(): Counts {
  let [tasks, events] = [0, 0]
  let newestAt: number | null = null
  return {
    count(of) {
      tasks += 1
      events += of.length
      const { at } = of.at(-1) ?? {}
      if (at !== undefined) newestAt = Math.max(newestAt ?? at, at)
    },
    toCounts: () => ({ tasks, events, newestAt }),
  }
}

type Places = Pick<DrillReport, "nextSteps" | "tasksByState" | "unfinishedTasks" | "untoldTasks">

function createPlaceLedger(): PlaceLedger & { readonly toReport: () => Places } {
  const tasksByState: Partial<Record<TaskState, number>> = {}
  const none = NEXT_STEPS.map((step) => [step, 0] as const)
  const nextSteps = Object.fromEntries(none) as Record<NextStep, number>
  let [unfinishedTasks, untoldTasks] = [0, 0]
  return {
    place(state, next) {
      tasksByState[state] = (tasksByState[state] ?? 0) + 1
      if (next === undefined) return
      unfinishedTasks += 1
      nextSteps[next] += 1
    },
    untold: () => void (untoldTasks += 1),
    toReport: () => ({ tasksByState, unfinishedTasks, nextSteps, untoldTasks }),
  }
}
