/** Appends and admissions of the storage in memory, each atomic, and undoing them. */
import {
  fold,
  openEvent,
  REQUEST_INPUT,
  SafelightError,
  toTaskRow,
  type Admission,
  type AdmitRequest,
  type Append,
  type OutcomeRow,
} from "@safelight/core"
import type { MemoryAccounts } from "./memory-accounts.ts"
import type { MemoryFeeds } from "./memory-feeds.ts"
import type { MemoryQueue } from "./memory-queue.ts"
import type { MemoryTables } from "./memory-tables.ts"
import type { MemoryTree } from "./memory-tree.ts"

export interface MemoryAppends {
  append(append: Append): void
  admit(request: AdmitRequest): Admission
  /** See `MemoryStorage`. */
  goBack(task: string, version: number, lease: string | null): void
}

export interface MemoryAppendsOptions {
  readonly tables: MemoryTables
  readonly accounts: Pick<MemoryAccounts, "addTotals" | "findFullBound">
  readonly feeds: Pick<MemoryFeeds, "addEvents" | "takeBack">
  readonly queue: Pick<MemoryQueue, "move">
  readonly tree: Pick<MemoryTree, "noteEvents">
}

/** What comes after the first event is kept only while the request is there. */
function addInputs(
  { inputs }: MemoryTables,
  { expectedHash, inputs: added = [], task }: Append,
): void {
  for (const input of added) {
    const name = `${task}/${input.name}`
    const mayBeKept = expectedHash === undefined || inputs.has(`${task}/${REQUEST_INPUT}`)
    if (mayBeKept && !inputs.has(name)) inputs.set(name, input)
  }
}

export function createMemoryAppends(options: MemoryAppendsOptions): MemoryAppends {
  const { accounts, feeds, queue, tables, tree } = options

  function append(request: Append): void {
    const { task, changes } = request
    const stored = tables.events.get(task) ?? []
    if (stored.at(-1)?.hash !== request.expectedHash) {
      if (isStored(tables, request)) return
      throw new SafelightError({ code: "version-conflict", message: `task ${task} has moved on` })
    }
    tables.outcomes.set(task, addOutcomes(tables.outcomes.get(task), changes.outcomes))
    tables.events.set(task, [...stored, ...request.events])
    tables.rows.set(task, changes.task)
    if (changes.charge !== undefined) tables.charges.set(task, changes.charge)
    if (changes.totals !== undefined) accounts.addTotals(changes.task.account, changes.totals)
    addInputs(tables, request)
    if (request.labels !== undefined) tables.labels.set(task, request.labels)
    queue.move(request)
    feeds.addEvents(request)
    tree.noteEvents(request.events)
  }

  return {
    append,
    admit({ append: request, idempotency }) {
      const { task } = request.changes
      if (isStored(tables, request)) return { kind: "admitted" }
      const known = tables.uses.find(
        ({ account, key }) => account === task.account && key === idempotency?.key,
      )
      if (known !== undefined) {
        return { kind: "known", task: known.task, fingerprint: known.fingerprint }
      }
      const limit = accounts.findFullBound(task)
      if (limit !== undefined) return { kind: "refused", limit }
      append(request)
      if (idempotency !== undefined) {
        const use = { ...idempotency, account: task.account, task: task.id }
        tables.uses = [...tables.uses, use]
      }
      return { kind: "admitted" }
    },
    goBack(id, version, lease) {
      takeBack(tables, id, version)
      feeds.takeBack(id, version)
      const task = tables.rows.has(id)
        ? fold(id, (tables.events.get(id) ?? []).map(openEvent))
        : undefined
      if (task === undefined) {
        const gone = { account: "", model: "" }
        queue.move({ task: id, changes: { task: gone }, queue: { kind: "finish", retainAt: null } })
        return
      }
      const { createdAt: dueAt, endBy } = task
      const place = { kind: "enqueue", dueAt, endBy, lease, startTag: null } as const
      queue.move({ task: id, changes: { task }, queue: place })
    },
  }
}

function isStored({ events }: MemoryTables, { task, events: added }: Append): boolean {
  const newest = added.at(-1)
  return (events.get(task) ?? []).some(({ hash }) => hash === newest?.hash)
}

/** The rows of a task as its first `version` events make them. */
function takeBack(tables: MemoryTables, id: string, version: number): void {
  const kept = (tables.events.get(id) ?? []).slice(0, version)
  tables.charges.delete(id)
  const lastKept = kept.at(-1)?.at ?? 0
  const isFinished = kept.some(({ type }) => type === "succeeded" || type === "failed")
  const left = (tables.outcomes.get(id) ?? []).filter(
    ({ at, outcome }) => at <= lastKept && (outcome === "deferred" || isFinished),
  )
  tables.outcomes.set(id, left)
  if (version === 0) {
    tables.events.delete(id)
    tables.rows.delete(id)
    return
  }
  tables.events.set(id, kept)
  tables.rows.set(id, toTaskRow(fold(id, kept.map(openEvent)), kept.at(-1)?.hash ?? ""))
}

/** An attempt has one outcome, as the primary key of a table would enforce. */
function addOutcomes(
  known: readonly OutcomeRow[] = [],
  added: readonly OutcomeRow[],
): readonly OutcomeRow[] {
  const all = [...known, ...added]
  if (new Set(all.map(({ attempt }) => attempt)).size === all.length) return all
  const message = "an attempt has two outcomes"
  throw new SafelightError({ code: "storage-unavailable", message })
}
