/**
 * Changes as the rows of a statement. Rows are in the order of their ids, so that two batches that
 * touch the same rows take them in the same order; what an account's changes come to is one row.
 */
import {
  toArtifactRecord,
  toChargeRecord,
  toEventRecord,
  toIdempotencyRecord,
  toInputRecord,
  toOutcomeRecord,
  toTaskRecord,
} from "@safelight/store"
import type { BatchRows, Row } from "./batch-statement.ts"
import type { Change } from "./change.ts"
import type { SectionName } from "./sections.ts"

interface AccountSum {
  charged_micros: number
  reserved_micros: number
  unfinished_tasks: number
  admitted_tasks: number
  highest_micros: number
  highest_tasks: number
}

/** `isPlain`: new tasks are taken to meet nothing of theirs; what does fails the statement. */
export function toBatchRows(changes: readonly Change[], isPlain: boolean): BatchRows {
  const rows = new Map<SectionName, Row[]>()
  const sums = new Map<string, AccountSum>()
  const add = (section: SectionName, row: Row): void => {
    const there = rows.get(section)
    if (there === undefined) rows.set(section, [row])
    else there.push(row)
  }
  // In the order of arrival, as they are judged.
  for (const change of changes) addTotals(change, sums)
  for (const change of changes.toSorted(byTask)) {
    const isFirst = isPlain && change.append.expectedVersion === 0
    addAppend(change, add, isFirst ? "firstInputs" : "inputs")
    addPlace(change, add, isFirst ? "placed" : "queued")
  }
  const uses = changes.filter(({ use }) => use !== undefined).toSorted(byKey)
  for (const { append, use } of uses) {
    if (use !== undefined) add("uses", toIdempotencyRecord(append.changes.task, use))
  }
  for (const account of [...sums.keys()].toSorted()) {
    add("totals", { account, ...sums.get(account) })
  }
  return rows
}

type Add = (section: SectionName, row: Row) => void

function addAppend({ append }: Change, add: Add, toInputs: SectionName): void {
  const { changes, expectedHash, events, inputs = [] } = append
  const record = toTaskRecord(changes.task)
  if (expectedHash === undefined) add("created", record)
  else add("moved", { ...record, expected_hash: expectedHash })
  for (const event of events) add("events", toEventRecord(event))
  for (const artifact of changes.artifacts) add("artifacts", toArtifactRecord(artifact))
  if (changes.charge !== undefined) add("charges", toChargeRecord(changes.charge))
  for (const outcome of changes.outcomes) add("outcomes", toOutcomeRecord(outcome))
  for (const input of inputs) add(toInputs, toInputRecord(input))
}

function addPlace(
  { append: { task, changes, queue } }: Change,
  add: Add,
  toQueue: SectionName,
): void {
  switch (queue?.kind) {
    case undefined:
      return
    case "enqueue": {
      const { account, model } = changes.task
      const { dueAt: due_at, endBy: end_by, lease, startTag: start_tag } = queue
      add(toQueue, { task, account, model, due_at, end_by, lease, start_tag })
      return
    }
    case "reschedule":
      add("rescheduled", { task, due_at: queue.dueAt, lease: queue.lease })
      return
    case "finish":
      add("dequeued", { task })
      if (queue.retainAt === null) add("forgotten", { task })
      else add("retained", { task, due_at: queue.retainAt })
  }
}

function addTotals({ append: { changes }, isJudged }: Change, sums: Map<string, AccountSum>): void {
  const { totals } = changes
  if (totals === undefined) return
  const { account } = changes.task
  const sum = sums.get(account) ?? NOTHING
  const charged_micros = sum.charged_micros + totals.chargedMicros
  const reserved_micros = sum.reserved_micros + totals.reservedMicros
  const unfinished_tasks = sum.unfinished_tasks + totals.unfinishedTasks
  const added = { charged_micros, reserved_micros, unfinished_tasks }
  if (!isJudged) sums.set(account, { ...sum, ...added })
  else {
    sums.set(account, {
      ...added,
      admitted_tasks: sum.admitted_tasks + 1,
      highest_micros: Math.max(sum.highest_micros, charged_micros + reserved_micros),
      highest_tasks: Math.max(sum.highest_tasks, unfinished_tasks),
    })
  }
}

const NOTHING: AccountSum = {
  charged_micros: 0,
  reserved_micros: 0,
  unfinished_tasks: 0,
  admitted_tasks: 0,
  // Below whatever the first judged one comes to.
  highest_micros: Number.MIN_SAFE_INTEGER,
  highest_tasks: Number.MIN_SAFE_INTEGER,
}

function byTask(a: Change, b: Change): number {
  return compare(a.append.task, b.append.task)
}

function byKey(a: Change, b: Change): number {
  const [one, other] = [a.append.changes.task.account, b.append.changes.task.account]
  return compare(one, other) || compare(a.use?.key ?? "", b.use?.key ?? "")
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
