/**
 * One task replayed: its events are folded from the beginning, its charge is computed again, its rows are
 * compared. Replay stops at the first event that can't be read or is not legal, and then compares no row,
 * since nobody knows what the log would make of the task. It does not look at hashes: `verify` does.
 */
import {
  emptyTask,
  parseJson,
  parseSealed,
  type Model,
  type PriceBook,
  type ScannedStream,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import { comparePlace } from "./compare-place.ts"
import { compareRows } from "./compare-rows.ts"
import { follow } from "./follow.ts"
import { findChargeFault } from "./recompute-charge.ts"
import { readEvent } from "./read-event.ts"
import type { Ledger } from "./report.ts"

export interface ReplayRules {
  readonly prices: PriceBook
  readonly models: ReadonlyMap<string, Model>
}

/** The task that the log makes; undefined where nobody knows it. */
export function replayStream(
  stream: ScannedStream,
  rules: ReplayRules,
  ledger: Ledger,
): Task | undefined {
  const task = emptyTask(stream.id)
  const events: TaskEvent[] = []
  for (const stored of stream.events) {
    const event = readEvent(stored, parseJson(stored.data), parseSealed(stored), ledger.find)
    if (event === undefined) return undefined
    if (!follow(task, event, stored.version, ledger.find)) return undefined
    if (event.type === "succeeded" || event.type === "failed") chargeTask(task, rules, ledger)
    events.push(event)
  }
  compareRows({ stream, events, task }, ledger)
  comparePlace({ stream, events, task }, ledger)
  return task
}

function chargeTask(task: Task, rules: ReplayRules, ledger: Ledger): void {
  const { account, chargeMicros, id, version } = task
  ledger.charge({ account, chargeMicros, task: id, version })
  const fault = findChargeFault(task, rules.prices, rules.models)
  if (fault !== undefined) ledger.find(fault)
}
