/**
 * Tasks replayed: the events of each are folded from the beginning, its charge is computed again, its rows are
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
import type { FoldedStream } from "./compare-task-row.ts"
import type { Finding } from "./finding.ts"
import { follow } from "./follow.ts"
import { findChargeFault } from "./recompute-charge.ts"
import { readEvent } from "./read-event.ts"
import type { Ledger } from "./report.ts"

export interface ReplayRules {
  readonly prices: PriceBook
  readonly models: ReadonlyMap<string, Model>
}

/** The tasks that the log makes, but for those that nobody knows. */
export function replayStreams(
  streams: readonly ScannedStream[],
  rules: ReplayRules,
  ledger: Ledger,
): readonly Task[] {
  // One step for all events before the next, as in `verify-events.ts`.
  const stored = streams.flatMap(({ events }) => events)
  const shown = stored.map(({ data }) => parseJson(data))
  const sealed = stored.map(parseSealed)
  const readings = stored.map((event, place) => readEvent(event, shown[place], sealed[place]))
  const tasks: Task[] = []
  let start = 0
  for (const stream of streams) {
    const end = start + stream.events.length
    const folded = foldStream(stream, readings.slice(start, end), rules, ledger)
    start = end
    if (folded === undefined) continue
    compareRows(folded, ledger)
    comparePlace(folded, ledger)
    tasks.push(folded.task)
  }
  return tasks
}

function foldStream(
  stream: ScannedStream,
  readings: readonly (Finding | TaskEvent)[],
  rules: ReplayRules,
  ledger: Ledger,
): FoldedStream | undefined {
  const task = emptyTask(stream.id)
  const events: TaskEvent[] = []
  for (const [place, event] of readings.entries()) {
    if ("kind" in event) {
      ledger.find(event)
      return undefined
    }
    const { version = place + 1 } = stream.events[place] ?? {}
    if (!follow(task, event, version, ledger.find)) return undefined
    if (event.type === "succeeded" || event.type === "failed") chargeTask(task, rules, ledger)
    events.push(event)
  }
  return { stream, events, task }
}

function chargeTask(task: Task, rules: ReplayRules, ledger: Ledger): void {
  const { account, chargeMicros, id, version } = task
  ledger.charge({ account, chargeMicros, task: id, version })
  const fault = findChargeFault(task, rules.prices, rules.models)
  if (fault !== undefined) ledger.find(fault)
}
