/**
 * A task's live row, compared with the one that its events make. For each field that differs the finding names the
 * first event after which log and row differ for good. Only then is the task folded once more, one event
 * at a time.
 */
import { isDeepStrictEqual } from "node:util"
import {
  emptyTask,
  evolve,
  fromSnapshot,
  parseJson,
  PROJECTION,
  toTaskRow,
  type ScannedStream,
  type Task,
  type TaskEvent,
  type TaskRow,
} from "@safelight/core"
import { excerptsWhereApart } from "./excerpt.ts"
import { toFact } from "./finding.ts"
import { listDiffering } from "./list-differing.ts"
import type { Ledger } from "./report.ts"

/** A stream of legal events. */
export interface FoldedStream {
  readonly stream: ScannedStream
  /** All of them; none if only rows are left. */
  readonly events: readonly TaskEvent[]
  /** After the last event. */
  readonly task: Task
}

export function compareTaskRow(folded: FoldedStream, ledger: Ledger): void {
  const { stream, events, task } = folded
  const { id, row } = stream
  if (events.length === 0 && row !== undefined) {
    const facts = { expected: null, found: row.version }
    ledger.find({ kind: "row-orphaned", task: id, version: null, ...facts })
  } else if (events.length > 0 && row === undefined) {
    const facts = { expected: task.version, found: null }
    ledger.find({ kind: "row-missing", task: id, version: null, ...facts })
  } else if (row !== undefined) {
    compareFields(folded, row, ledger)
  }
}

/** The columns in which a live row differs from the one that the log makes. */
export function listDifferingFields(expected: TaskRow, found: TaskRow): (keyof TaskRow)[] {
  return listDiffering(expected, found).filter(
    (field) => field !== "snapshot" || !hasSameMembers(expected, found),
  )
}

/** Whose order is the release's that wrote the row. */
function hasSameMembers(expected: TaskRow, found: TaskRow): boolean {
  return isDeepStrictEqual(toMembers(expected), toMembers(found))
}

function compareFields(
  { stream, events, task }: FoldedStream,
  found: TaskRow,
  { find, countForeignRow }: Ledger,
): void {
  const toRow = (after: Task): TaskRow =>
    toTaskRow(after, stream.events[after.version - 1]?.hash ?? "")
  const expected = toRow(task)
  const isForeign = expected.snapshot !== found.snapshot && isOfOtherProjection(found)
  if (isForeign) countForeignRow()
  const listFields = (row: TaskRow) =>
    listDifferingFields(row, found).filter((field) => !(isForeign && field === "snapshot"))
  const differing = listFields(expected)
  if (differing.length === 0) return
  const history = foldEach(stream.id, events)
  const rows = history.map(toRow)
  const behind = rows.find((row) => listFields(row).length === 0)
  if (behind !== undefined) {
    const place = { task: stream.id, version: behind.version + 1 }
    find({ kind: "row-behind", ...place, expected: expected.version, found: behind.version })
    return
  }
  for (const field of differing) {
    if (field === "snapshot") {
      compareSnapshots(expected, found, history, find)
      continue
    }
    const version = firstApart(
      rows.map((row) => row[field]),
      found[field],
    )
    const facts = { expected: toFact(expected[field]), found: toFact(found[field]) }
    find({ kind: "row-differs", task: stream.id, version, field, ...facts })
  }
}

/** The task after each event. */
function foldEach(id: string, events: readonly TaskEvent[]): readonly Task[] {
  let task = emptyTask(id)
  return events.map((event) => {
    task = evolve(task, event)
    return task
  })
}

function compareSnapshots(
  expected: TaskRow,
  found: TaskRow,
  history: readonly Task[],
  find: Ledger["find"],
): void {
  const members: Members | undefined = toMembers(found) && { ...fromSnapshot(found.snapshot) }
  const due: Members = { ...history.at(-1) }
  const names = [...new Set([...Object.keys(due), ...Object.keys(members ?? {})])]
  const differing = names.filter((name) => !isDeepStrictEqual(due[name], members?.[name]))
  if (members === undefined || differing.length === 0) {
    const [expectedText, foundText] = excerptsWhereApart(expected.snapshot, found.snapshot)
    const place = { task: expected.id, version: expected.version, field: "snapshot" }
    find({ kind: "row-differs", ...place, expected: expectedText, found: foundText })
    return
  }
  for (const name of differing) {
    const version = firstApart(
      history.map((task) => task[name as keyof Task]),
      members[name],
    )
    const facts = { expected: toFact(due[name]), found: toFact(members[name]) }
    find({ kind: "row-differs", task: expected.id, version, field: `snapshot.${name}`, ...facts })
  }
}

/** The first version from which on the value never was `found`; 1 if it never was at all. */
function firstApart(history: readonly unknown[], found: unknown): number {
  return history.findLastIndex((value) => isDeepStrictEqual(value, found)) + 2
}

function isOfOtherProjection(row: TaskRow): boolean {
  const projection = toMembers(row)?.["projection"]
  return Number.isSafeInteger(projection) && projection !== PROJECTION
}

type Members = Readonly<Record<string, unknown>>

function toMembers({ snapshot }: TaskRow): Members | undefined {
  const value = parseJson(snapshot)
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject ? (value as Members) : undefined
}
