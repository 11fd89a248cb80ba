/**
 * One task replayed: its events folded from the beginning, its charge recomputed, its rows
 * compared. Stops at the first event that can't be read or is not legal, and then compares no row:
 * what the log would make of the task is not known. Hashes are `verify`'s matter.
 */
import {
  emptyTask,
  evolve,
  type Model,
  type PriceBook,
  type ScannedStream,
  type Task,
} from "@safelight/core"
import {
  compareRows,
  findChargeOrphan,
  findOrphan,
  findOutcomeOrphan,
  isForeignRow,
  type FoldedStep,
} from "./compare-rows.ts"
import { findChargeFault } from "./recompute-charge.ts"
import { readEvent } from "./read-event.ts"
import type { Ledger } from "./report.ts"

export interface ReplayRules {
  readonly prices: PriceBook
  readonly models: ReadonlyMap<string, Model>
}

export function replayStream(stream: ScannedStream, rules: ReplayRules, ledger: Ledger): void {
  if (stream.events.length === 0) {
    reportOrphans(stream, ledger)
    return
  }
  if (stream.row !== undefined && isForeignRow(stream.row)) ledger.countForeignRow()
  const steps = foldSteps(stream, rules, ledger)
  if (steps.length === stream.events.length) compareRows(stream, steps, ledger.find)
}

function foldSteps(stream: ScannedStream, rules: ReplayRules, ledger: Ledger): FoldedStep[] {
  const steps: FoldedStep[] = []
  let task = emptyTask(stream.id)
  for (const stored of stream.events) {
    const event = readEvent(stored, ledger.find)
    if (event === undefined) break
    const next = evolve(task, event)
    if (next === task) {
      const place = { task: stream.id, version: stored.version }
      ledger.find({ kind: "event-illegal", ...place, expected: task.state, found: event.type })
      break
    }
    if (event.type === "succeeded" || event.type === "failed") chargeTask(next, rules, ledger)
    task = next
    steps.push({ event, task, hash: stored.hash })
  }
  return steps
}

function chargeTask(task: Task, rules: ReplayRules, ledger: Ledger): void {
  const { account, chargeMicros, id, version } = task
  ledger.charge({ account, chargeMicros, task: id, version })
  const fault = findChargeFault(task, rules.prices, rules.models)
  if (fault !== undefined) ledger.find(fault)
}

function reportOrphans(stream: ScannedStream, ledger: Ledger): void {
  if (stream.row !== undefined) {
    const place = { task: stream.id, version: null }
    ledger.find({ kind: "row-orphaned", ...place, expected: null, found: stream.row.version })
  }
  for (const row of stream.artifacts) findOrphan(row, ledger.find)
  if (stream.charge !== undefined) findChargeOrphan(stream.charge, ledger.find)
  for (const row of stream.outcomes) findOutcomeOrphan(row, ledger.find)
}
