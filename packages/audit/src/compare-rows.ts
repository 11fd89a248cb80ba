/**
 * The live rows beside those that the log makes, field by field. For each field of a task's row that
 * differs the finding names the first event after which log and row differ for good: only then is
 * every step of the fold looked at, each a task of its own that shares with the one before what the
 * event left alone.
 */
import { isDeepStrictEqual } from "node:util"
import {
  emptyTask,
  evolve,
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
import type { Fact, Facts, Finding } from "./finding.ts"

type Find = (finding: Finding) => void

/** A stream of events that are all legal, folded. */
export interface FoldedStream {
  readonly stream: ScannedStream
  readonly events: readonly TaskEvent[]
  /** After the last of them. */
  readonly task: Task
}

interface Step {
  readonly event: TaskEvent
  /** After the event. */
  readonly task: Task
  /** The stored hash of the event that led to `task`. */
  readonly hash: string
}

/** The task after each event; folded once more, and only where something differs. */
type Steps = () => readonly Step[]

/** Whether the row's snapshot says that it is of another release's projection. */
export function isForeignRow({ snapshot }: TaskRow): boolean {
  const projection = toMembers(snapshot)?.["projection"]
  return Number.isSafeInteger(projection) && projection !== PROJECTION
}

/** Compares a task's rows with those that its events make; there is at least one. */
export function compareRows({ stream, events, task }: FoldedStream, find: Find): void {
  let kept: readonly Step[] | undefined
  const steps: Steps = () => (kept ??= foldSteps(stream, events))
  const expected = toTaskRow(task, stream.events.at(-1)?.hash ?? "")
  if (stream.row === undefined) {
    const { version } = expected
    find({ kind: "row-missing", task: stream.id, version: null, expected: version, found: null })
  } else {
    compareTaskRow(expected, stream.row, steps, find)
  }
  const charge = toChargeRow(task)
  compareArtifacts(toArtifactRows(task), stream, task.version, find)
  compareCharges(charge === undefined ? [] : [charge], stream, steps, find)
  compareOutcomes(toOutcomeRows(task, events), stream, steps, find)
}

/** Reports every row of a stream that has no events. */
export function reportOrphans(stream: ScannedStream, find: Find): void {
  const { id: task, row } = stream
  if (row !== undefined) {
    find({ kind: "row-orphaned", task, version: null, expected: null, found: row.version })
  }
  compareArtifacts([], stream, 0, find)
  compareCharges([], stream, () => [], find)
  compareOutcomes([], stream, () => [], find)
}

function foldSteps(stream: ScannedStream, events: readonly TaskEvent[]): readonly Step[] {
  let task = emptyTask(stream.id)
  return events.map((event, index) => {
    task = evolve(task, event)
    return { event, task, hash: stream.events[index]?.hash ?? "" }
  })
}

function compareTaskRow(expected: TaskRow, found: TaskRow, steps: Steps, find: Find): void {
  const isForeign = isForeignRow(found)
  const listDiffering = (row: TaskRow) =>
    differingFields(row, found).filter((field) => field !== "snapshot" || !isForeign)
  const differing = listDiffering(expected)
  if (differing.length === 0) return
  const rows = steps().map(({ task, hash }) => toTaskRow(task, hash))
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
  const names = [...new Set([...Object.keys(due), ...Object.keys(members ?? {})])].toSorted()
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
  { artifacts: found, id: task }: ScannedStream,
  version: number,
  find: Find,
): void {
  compareEach(expected, found, {
    toId: ({ key }) => key,
    missing({ key, locator }) {
      const facts = { expected: locator, found: null }
      find({ kind: "artifact-missing", task, version, key, ...facts })
    },
    differs: ({ key }, facts) => find({ kind: "artifact-differs", task, version, key, ...facts }),
    orphaned({ key, locator }) {
      const facts = { expected: null, found: excerpt(locator) }
      find({ kind: "artifact-orphaned", task, version: null, key, ...facts })
    },
  })
}

/** One at most; the event that finished the task made it, and none after it changes it. */
function compareCharges(
  expected: readonly ChargeRow[],
  { charge: found, id: task }: ScannedStream,
  steps: Steps,
  find: Find,
): void {
  const toVersion = (): number | null =>
    steps().find((step) => step.task.usage !== null)?.task.version ?? null
  compareEach(expected, found === undefined ? [] : [found], {
    toId: () => task,
    missing({ chargeMicros }) {
      const facts = { expected: chargeMicros, found: null }
      find({ kind: "charge-row-missing", task, version: toVersion(), ...facts })
    },
    differs: (_row, facts) =>
      find({ kind: "charge-row-differs", task, version: toVersion(), ...facts }),
    orphaned({ chargeMicros }) {
      const facts = { expected: null, found: chargeMicros }
      find({ kind: "charge-row-orphaned", task, version: null, ...facts })
    },
  })
}

function compareOutcomes(
  expected: readonly OutcomeRow[],
  { id: task, outcomes: found }: ScannedStream,
  steps: Steps,
  find: Find,
): void {
  const toPlace = ({ attempt, outcome }: OutcomeRow) => {
    const isEnd = ({ event, task: after }: Step) =>
      event.type === outcome && after.attempt === attempt
    return { task, version: steps().find(isEnd)?.task.version ?? null, attempt }
  }
  compareEach(expected, found, {
    toId: ({ attempt }) => attempt,
    missing(row) {
      const facts = { expected: row.costMicros, found: null }
      find({ kind: "outcome-missing", ...toPlace(row), ...facts })
    },
    differs: (row, facts) => find({ kind: "outcome-differs", ...toPlace(row), ...facts }),
    orphaned({ attempt, costMicros }) {
      const facts = { expected: null, found: costMicros }
      find({ kind: "outcome-orphaned", task, version: null, attempt, ...facts })
    },
  })
}

interface Differences<Row> {
  /** By which the rows of the log and the live ones are held together. */
  readonly toId: (row: Row) => string | number
  readonly missing: (row: Row) => void
  readonly differs: (row: Row, facts: Facts & { readonly field: string }) => void
  readonly orphaned: (row: Row) => void
}

/** The rows that the log makes beside the live ones, field by field. */
function compareEach<Row extends object>(
  expected: readonly Row[],
  found: readonly Row[],
  { toId, missing, differs, orphaned }: Differences<Row>,
): void {
  const live = new Map(found.map((row) => [toId(row), row]))
  for (const row of expected) {
    const other = live.get(toId(row))
    live.delete(toId(row))
    if (other === undefined) {
      missing(row)
      continue
    }
    for (const field of differingFields(row, other)) {
      differs(row, { field, expected: toFact(row[field]), found: toFact(other[field]) })
    }
  }
  for (const row of live.values()) orphaned(row)
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
