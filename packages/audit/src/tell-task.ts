/**
 * A task as its first events tell it: the chain is proved as `verify` proves it, then folded, and the charge is computed
 * again. The event that follows them is proved too: it shows that nothing of before was given a later moment. What lies
 * behind it is not looked at, so later damage hides no earlier state.
 */
import {
  emptyTask,
  toChargeRow,
  toOutcomeRows,
  type ChargeRow,
  type Digest,
  type NamedPrice,
  type OutcomeRow,
  type ScannedStream,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import type { Finding } from "./finding.ts"
import { follow } from "./follow.ts"
import type { FindNamedPrice } from "./price-names.ts"
import { findChargeFault } from "./recompute-charge.ts"
import type { ReplayRules } from "./replay-stream.ts"
import { verifyEvents } from "./verify-events.ts"

export interface TellRules extends ReplayRules {
  readonly digest: Digest
  readonly findPrice: FindNamedPrice
}

/** An event of a task, by its place in the chain and its seal. */
export interface EventName {
  readonly version: number
  /** 64 lower-case hexadecimal digits. */
  readonly hash: string
}

/** What the task was charged when it ended. */
export interface ToldCharge extends ChargeRow {
  /** The event that charged it. */
  readonly event: EventName
  /** What the task was accepted under. */
  readonly price: NamedPrice
  /** Why price and usage don't make this charge, or can't be told to; null if they make it. */
  readonly finding: Finding | null
}

export interface ToldTask {
  readonly task: Task
  /** The newest event of then. */
  readonly event: EventName
  /** Null if it used nothing, or had not ended. */
  readonly charge: ToldCharge | null
  /** By attempt. */
  readonly outcomes: readonly OutcomeRow[]
}

/** What events tell; or that nobody can tell it, since they are damaged or of a newer release. */
export type Telling =
  | { readonly kind: "told"; readonly told: ToldTask }
  /** The task did not exist yet. */
  | { readonly kind: "none" }
  | { readonly kind: "untold" }

export interface ToldStream extends Pick<ScannedStream, "events" | "id"> {
  /** How many of the events there were then; all by default. */
  readonly count?: number
}

/** `find` gets what is wrong, the finding of a charge included. */
export function tellTask(
  stream: ToldStream,
  rules: TellRules,
  find: (finding: Finding) => void,
): Telling {
  const { events: stored, id } = stream
  const events = readProved(stream, rules, find)
  if (events === undefined) return { kind: "untold" }
  const newest = stored[events.length - 1]
  if (newest === undefined) return { kind: "none" }
  const task = emptyTask(id)
  let charge: ToldCharge | null = null
  for (const [index, event] of events.entries()) {
    const { hash = "", version = 0 } = stored[index] ?? {}
    if (!follow(task, event, version, find)) return { kind: "untold" }
    if (event.type !== "succeeded" && event.type !== "failed") continue
    charge = toCharge(task, { hash, version }, rules)
    if (charge?.finding) find(charge.finding)
  }
  const { hash, version } = newest
  const outcomes = toOutcomeRows(task, events)
  return { kind: "told", told: { task, event: { hash, version }, charge, outcomes } }
}

/** The events of then; undefined if their chain, with the event that follows them, is not whole. */
function readProved(
  { events: stored, count = stored.length }: ToldStream,
  { digest }: TellRules,
  find: (finding: Finding) => void,
): readonly TaskEvent[] | undefined {
  let isWhole = true
  const proved = verifyEvents(stored.slice(0, count + 1), digest, {
    charge() {},
    find(finding) {
      isWhole = false
      find(finding)
    },
  })
  return isWhole ? proved.slice(0, count) : undefined
}

const NOTHING = { images: 0, inputVideosMs: [], outputVideoMs: 0 }

/** A charge without a usage is none that an engine makes: it is shown all the same, with its finding. */
function toCharge(task: Task, event: EventName, rules: TellRules): ToldCharge | null {
  const isFree = task.usage === null && task.chargeMicros === 0
  const row = isFree ? undefined : toChargeRow({ ...task, usage: task.usage ?? NOTHING })
  if (row === undefined) return null
  const finding = findChargeFault(task, rules.prices, rules.models) ?? null
  return { ...row, event, price: rules.findPrice(task), finding }
}
