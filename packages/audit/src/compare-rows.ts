/**
 * The live rows beside those that the log makes, field by field. For each field that differs the
 * finding names the first event after which log and row differ for good, found by folding again.
 */
import { isDeepStrictEqual } from "node:util"
import {
  PROJECTION,
  toArtifactRows,
  toChargeRow,
  toOutcomeRows,
  toTaskRow,
  type ArtifactRow,
  type ChargeRow,
  type OutcomeRow,
  type ScannedStream,
  type Task,
  type TaskEvent,
  type TaskRow,
} from "@safelight/core"
import { excerpt, excerptsWhereApart } from "./excerpt.ts"
import type { Fact, Finding } from "./finding.ts"

type Find = (finding: Finding) => void

export interface FoldedStep {
  readonly event: TaskEvent
  /** After the event. */
  readonly task: Task
  /** The stored hash of the event that led to `task`. */
  readonly hash: string
}

/** Whether the row's snapshot says that it is of another release's projection. */
export function isForeignRow({ snapshot }: TaskRow): boolean {
  const projection = toMembers(snapshot)?.["projection"]
  return Number.isSafeInteger(projection) && projection !== PROJECTION
}

/** Compares a task's rows with the ones after its last step; `steps` is never empty. */
export function compareRows(stream: ScannedStream, steps: readonly FoldedStep[], find: Find): void {
  const last = steps.at(-1) as FoldedStep
  const expected = toTaskRow(last.task, last.hash)
  if (stream.row === undefined) {
    const { version } = expected
    find({ kind: "row-missing", task: stream.id, version: null, expected: version, found: null })
  } else {
    compareTaskRow(expected, stream.row, steps, find)
  }
  compareArtifacts(toArtifactRows(last.task), stream, last.task.version, find)
  compareCharge(toChargeRow(last.task), stream, steps, find)
  compareOutcomes(stream, steps, find)
}

function compareTaskRow(
  expected: TaskRow,
  found: TaskRow,
  steps: readonly FoldedStep[],
  find: Find,
): void {
  const isForeign = isForeignRow(found)
  const listDiffering = (row: TaskRow) =>
    differingFields(row, found).filter((field) => field !== "snapshot" || !isForeign)
  const differing = listDiffering(expected)
  if (differing.length === 0) return
  const rows = steps.map(({ task, hash }) => toTaskRow(task, hash))
  const behind = rows.find((row) => listDiffering(row).length === 0)
  if (behind !== undefined) {
    const { id, version } = expected
    const place = { task: id, version: behind.version + 1 }
    find({ kind: "row-behind", ...place, expected: version, found: behind.version })
    return
  }
  for (const field of differing) {
    if (field === "snapshot") {
      compareSnapshots(expected, found, rows, find)
      continue
    }
    const place = { task: expected.id, version: firstApart(rows, field, found[field]), field }
    const facts = { expected: toFact(expected[field]), found: toFact(found[field]) }
    find({ kind: "row-differs", ...place, ...facts })
  }
}

function compareSnapshots(
  expected: TaskRow,
  found: TaskRow,
  rows: readonly TaskRow[],
  find: Find,
): void {
  const members = toMembers(found.snapshot)
  const due = toMembers(expected.snapshot) ?? {}
  const history = rows.map((row) => toMembers(row.snapshot) ?? {})
  const names = [...new Set([...Object.keys(due), ...Object.keys(members ?? {})])]
  const differing = names.filter((name) => !isDeepStrictEqual(due[name], members?.[name]))
  if (members === undefined || differing.length === 0) {
    const [expectedText, foundText] = excerptsWhereApart(expected.snapshot, found.snapshot)
    const place = { task: expected.id, version: expected.version, field: "snapshot" }
    find({ kind: "row-differs", ...place, expected: expectedText, found: foundText })
    return
  }
  for (const name of differing) {
    const version = firstApart(history, name, members[name])
    const facts = { expected: toFact(due[name]), found: toFact(members[name]) }
    find({ kind: "row-differs", task: expected.id, version, field: `snapshot.${name}`, ...facts })
  }
}

function compareArtifacts(
  expected: readonly ArtifactRow[],
  stream: ScannedStream,
  version: number,
  find: Find,
): void {
  const found = new Map(stream.artifacts.map((row) => [row.key, row]))
  for (const row of expected) {
    const { key, locator } = row
    const live = found.get(key)
    found.delete(key)
    if (live === undefined) {
      const facts = { expected: locator, found: null }
      find({ kind: "artifact-missing", task: stream.id, version, key, ...facts })
      continue
    }
    for (const field of differingFields(row, live)) {
      const facts = { expected: toFact(row[field]), found: toFact(live[field]) }
      find({ kind: "artifact-differs", task: stream.id, version, key, field, ...facts })
    }
  }
  for (const row of found.values()) findOrphan(row, find)
}

function compareCharge(
  expected: ChargeRow | undefined,
  { charge: found, id: task }: ScannedStream,
  steps: readonly FoldedStep[],
  find: Find,
): void {
  if (expected === undefined) {
    if (found !== undefined) findChargeOrphan(found, find)
    return
  }
  // The event that finished the task made the row, and none after it changes it.
  const version = steps.find(({ task: { usage } }) => usage !== null)?.task.version ?? null
  if (found === undefined) {
    const { chargeMicros } = expected
    find({ kind: "charge-row-missing", task, version, expected: chargeMicros, found: null })
    return
  }
  for (const field of differingFields(expected, found)) {
    const facts = { expected: toFact(expected[field]), found: toFact(found[field]) }
    find({ kind: "charge-row-differs", task, version, field, ...facts })
  }
}

function compareOutcomes(
  { id: task, outcomes }: ScannedStream,
  steps: readonly FoldedStep[],
  find: Find,
): void {
  const found = new Map(outcomes.map((row) => [row.attempt, row]))
  for (const { event, task: after } of steps) {
    // An event by itself makes what it makes behind all the others: the task tells who was asked.
    for (const row of toOutcomeRows(after, [event])) {
      const place = { task, version: after.version, attempt: row.attempt }
      const live = found.get(row.attempt)
      found.delete(row.attempt)
      if (live === undefined) {
        find({ kind: "outcome-missing", ...place, expected: row.costMicros, found: null })
        continue
      }
      for (const field of differingFields(row, live)) {
        const facts = { expected: toFact(row[field]), found: toFact(live[field]) }
        find({ kind: "outcome-differs", ...place, field, ...facts })
      }
    }
  }
  for (const row of found.values()) findOutcomeOrphan(row, find)
}

/** Reports the outcome of an attempt that the log does not make. */
export function findOutcomeOrphan({ task, attempt, costMicros }: OutcomeRow, find: Find): void {
  const facts = { expected: null, found: costMicros }
  find({ kind: "outcome-orphaned", task, version: null, attempt, ...facts })
}

/** Reports a line of the bill that the log does not make. */
export function findChargeOrphan({ task, chargeMicros }: ChargeRow, find: Find): void {
  const facts = { expected: null, found: chargeMicros }
  find({ kind: "charge-row-orphaned", task, version: null, ...facts })
}

/** Reports an artifact's row that no manifest names. */
export function findOrphan({ task, key, locator }: ArtifactRow, find: Find): void {
  const facts = { expected: null, found: excerpt(locator) }
  find({ kind: "artifact-orphaned", task, version: null, key, ...facts })
}

function differingFields<Row extends object>(expected: Row, found: Row): (keyof Row & string)[] {
  const names = Object.keys(expected) as (keyof Row & string)[]
  return names.filter((name) => expected[name] !== found[name])
}

/** The first version from which on `field` never was `found`; 1 where it never was at all. */
function firstApart<Row extends object>(
  history: readonly Row[],
  field: keyof Row,
  found: unknown,
): number {
  return history.findLastIndex((row) => isDeepStrictEqual(row[field], found)) + 2
}

function toMembers(snapshot: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(snapshot)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function toFact(value: unknown): Fact {
  if (typeof value === "number" || value === null) return value
  if (typeof value === "string") return excerpt(value)
  return value === undefined ? null : excerpt(JSON.stringify(value))
}
