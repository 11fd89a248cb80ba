/**
 * The rows of a batch's statement. Rows are in the order of their ids, so that two batches that touch the
 * same rows lock them in the same order; an account's changes are summed into one row.
 */
import { toLabelRows, toReadyRow, toStoredTaskRow, type LogChange } from "@safelight/store"
import type { AddedTotals, BatchRows, SectionName } from "./sections.ts"

/**
 * `isPlain`: the places of new tasks in the queue, and of finished ones with retention, are inserted as if there
 * were none yet; if there is one, the statement fails.
 */
export function toBatchRows(changes: readonly LogChange[], isPlain: boolean): BatchRows {
  const rows: BatchRows = {}
  const sums = new Map<string, AddedTotals>()
  const add: Add = (section, row) => {
    const there: unknown[] | undefined = rows[section]
    if (there === undefined) Object.assign(rows, { [section]: [row] })
    else there.push(row)
  }
  // In the order of arrival, as they would be judged.
  for (const change of changes) addTotals(change, sums)
  add("feedEntries", {})
  for (const change of changes.toSorted(byTask)) {
    addAppend(change, add)
    addQueueChange(change, add, isPlain)
  }
  const uses = changes.filter(({ use }) => use !== undefined).toSorted(byKey)
  for (const { append, use } of uses) {
    const { account, id: task } = append.changes.task
    if (use !== undefined) add("uses", { account, task, ...use })
  }
  for (const sum of [...sums.values()].toSorted((a, b) => compare(a.account, b.account))) {
    add("totals", sum)
  }
  return rows
}

type RowOf<Name extends SectionName> = NonNullable<BatchRows[Name]>[number]
type Add = <Name extends SectionName>(section: Name, row: RowOf<Name>) => void

function addAppend({ append }: LogChange, add: Add): void {
  const { changes, expectedHash, events, expectedVersion, inputs = [] } = append
  const toInputs = expectedVersion === 0 ? "firstInputs" : "inputs"
  const task = toStoredTaskRow(changes.task)
  if (expectedHash === undefined) add("created", task)
  else add("moved", { ...task, expectedHash })
  for (const event of events) {
    add("events", event)
    add("feeds", { account: task.account })
  }
  if (changes.charge !== undefined) add("charges", changes.charge)
  for (const outcome of changes.outcomes) add("outcomes", outcome)
  for (const input of inputs) add(toInputs, input)
  for (const row of toLabelRows(append)) add("labels", row)
}

function addQueueChange({ append }: LogChange, add: Add, isPlain: boolean): void {
  const { changes, expectedVersion, queue, task } = append
  switch (queue?.kind) {
    case undefined:
      return
    case "enqueue": {
      const toQueue = isPlain && expectedVersion === 0 ? "firstEnqueued" : "enqueued"
      add(toQueue, toReadyRow(append, queue))
      return
    }
    case "reschedule":
      add("rescheduled", { task, dueAt: queue.dueAt, lease: queue.lease })
      return
    case "finish":
      add("dequeued", { task })
      if (queue.retainAt === null) add("forgotten", { task })
      else {
        // Totals change with the first event and with the end of a task, and with nothing else.
        const toRetained = isPlain && changes.totals !== undefined ? "firstRetained" : "retained"
        add(toRetained, { task, dueAt: queue.retainAt })
      }
  }
}

function addTotals(
  { append: { changes }, isAsked }: LogChange,
  sums: Map<string, AddedTotals>,
): void {
  const { totals } = changes
  if (totals === undefined) return
  const { account } = changes.task
  const sum = sums.get(account) ?? { account, ...NOTHING }
  const chargedMicros = sum.chargedMicros + totals.chargedMicros
  const reservedMicros = sum.reservedMicros + totals.reservedMicros
  const unfinishedTasks = sum.unfinishedTasks + totals.unfinishedTasks
  const added = { account, chargedMicros, reservedMicros, unfinishedTasks }
  if (!isAsked) sums.set(account, { ...sum, ...added })
  else {
    sums.set(account, {
      ...added,
      admittedTasks: sum.admittedTasks + 1,
      highestMicros: Math.max(sum.highestMicros, chargedMicros + reservedMicros),
      highestTasks: Math.max(sum.highestTasks, unfinishedTasks),
    })
  }
}

const NOTHING: Omit<AddedTotals, "account"> = {
  chargedMicros: 0,
  reservedMicros: 0,
  unfinishedTasks: 0,
  admittedTasks: 0,
  // Below the sum of whatever is judged first.
  highestMicros: Number.MIN_SAFE_INTEGER,
  highestTasks: Number.MIN_SAFE_INTEGER,
}

function byTask(a: LogChange, b: LogChange): number {
  return compare(a.append.task, b.append.task)
}

function byKey(a: LogChange, b: LogChange): number {
  const [one, other] = [a.append.changes.task.account, b.append.changes.task.account]
  return compare(one, other) || compare(a.use?.key ?? "", b.use?.key ?? "")
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
