/**
 * Storage in memory, for engine tests that turn on a manual clock: nothing in it waits for I/O, so
 * a test decides every order. It passes the storage contract like any adapter, and can be told to
 * fail.
 */
import {
  SafelightError,
  type Admission,
  type AdmitRequest,
  type Append,
  type ArtifactRow,
  type ChargeRow,
  type ClaimTerm,
  type IdempotencyUse,
  type Input,
  type QueueChange,
  type Storage,
  type StoredEvent,
  type StreamHead,
  type TaskRow,
  fromSnapshot,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import { listRows } from "./list-rows.ts"
import { createMemoryAccounts } from "./memory-accounts.ts"

interface Place {
  readonly model: string
  readonly dueAt: number
  readonly endBy: number
  readonly term: ClaimTerm | null
}

interface StoredUse extends IdempotencyUse {
  readonly account: string
  readonly task: string
}

export interface MemoryStorage extends Storage {
  readonly events: ReadonlyMap<string, readonly StoredEvent[]>
  readonly inputs: ReadonlyMap<string, Input>
  /** The next `times` appends and admissions reject; where `isStored`, they took place all the same. */
  failAppends(times: number, isStored?: boolean): void
}

export function createMemoryStorage(): MemoryStorage {
  const events = new Map<string, StoredEvent[]>()
  const rows = new Map<string, TaskRow>()
  const artifacts = new Map<string, ArtifactRow[]>()
  const charges = new Map<string, ChargeRow>()
  const inputs = new Map<string, Input>()
  const queue = new Map<string, Place>()
  const retention = new Map<string, number>()
  let uses: readonly StoredUse[] = []
  let failures = 0
  let isStoredAnyway = false

  const { addTotals, findFullBound, ...accounts } = createMemoryAccounts({
    charges,
    findUnfinished: (account) =>
      [...queue.keys()]
        .flatMap((id) => rows.get(id) ?? [])
        .filter((row) => row.account === account),
  })

  function headOf(id: string): StreamHead | undefined {
    const row = rows.get(id)
    return row && { task: fromSnapshot(row.snapshot), hash: row.hash }
  }

  function isStored({ task, events: added }: Append): boolean {
    const newest = added.at(-1)
    return (events.get(task) ?? []).some(({ hash }) => hash === newest?.hash)
  }

  function store(append: Append): void {
    const { task, changes } = append
    const stored = events.get(task) ?? []
    if (stored.length !== append.expectedVersion) {
      if (isStored(append)) return
      throw new SafelightError({ code: "version-conflict", message: `task ${task} has moved on` })
    }
    events.set(task, [...stored, ...append.events])
    rows.set(task, changes.task)
    artifacts.set(task, [...(artifacts.get(task) ?? []), ...changes.artifacts])
    if (changes.charge !== undefined) charges.set(task, changes.charge)
    if (changes.totals !== undefined) addTotals(changes.task.account, changes.totals)
    for (const input of append.inputs ?? []) {
      const name = `${input.task}/${input.name}`
      if (!inputs.has(name)) inputs.set(name, input)
    }
    if (append.queue !== undefined) move(append, append.queue)
  }

  function admit({ append, idempotency }: AdmitRequest): Admission {
    const { task } = append.changes
    if (isStored(append)) return { kind: "admitted" }
    const known = uses.find(
      ({ account, key }) => account === task.account && key === idempotency?.key,
    )
    if (known !== undefined) {
      return { kind: "known", task: known.task, fingerprint: known.fingerprint }
    }
    const limit = findFullBound(task)
    if (limit !== undefined) return { kind: "refused", limit }
    store(append)
    if (idempotency !== undefined) {
      uses = [...uses, { ...idempotency, account: task.account, task: task.id }]
    }
    return { kind: "admitted" }
  }

  function failing<Result>(write: () => Result): Result {
    if (failures === 0) return write()
    failures -= 1
    if (isStoredAnyway) write()
    const message = "the database does not answer"
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
  }

  function move({ task, changes }: Append, change: QueueChange): void {
    if (change.kind === "finish") {
      queue.delete(task)
      setRetention(task, change.retainAt)
      return
    }
    const place = queue.get(task)
    const { dueAt, claim: term } = change
    if (change.kind === "enqueue") {
      queue.set(task, { model: changes.task.model, dueAt, endBy: change.endBy, term })
    } else if (place !== undefined) queue.set(task, { ...place, dueAt, term })
  }

  function setRetention(task: string, dueAt: number | null): void {
    if (dueAt === null) retention.delete(task)
    else retention.set(task, dueAt)
  }

  function earliest(places: Iterable<readonly [string, number]>, now: number, limit: number) {
    return [...places]
      .filter(([, at]) => at <= now)
      .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
      .slice(0, limit)
      .flatMap(([id]) => headOf(id) ?? [])
  }

  return {
    ...accounts,
    events,
    inputs,
    failAppends(times, isStoredToo = false) {
      failures = times
      isStoredAnyway = isStoredToo
    },
    append: async (append) => failing(() => store(append)),
    admit: async (request) => failing(() => admit(request)),
    async forgetIdempotency({ usedBefore, limit }) {
      const oldest = uses
        .filter(({ usedAt }) => usedAt < usedBefore)
        .toSorted((a, b) => a.usedAt - b.usedAt)
        .slice(0, limit)
      uses = uses.filter((use) => !oldest.includes(use))
      return oldest.length
    },
    readTask: async (id) => headOf(id),
    listTasks: async (request) => listRows([...rows.values()], request),
    readArtifacts: async (task) => artifacts.get(task) ?? [],
    readEvents: async (task) => events.get(task) ?? [],
    async eraseInputs(task) {
      const names = [...inputs.values()].filter((input) => input.task === task)
      for (const { name } of names) inputs.delete(`${task}/${name}`)
      uses = uses.filter((use) => use.task !== task)
      return names.length > 0
    },
    readInput: async ({ task, name }) => inputs.get(`${task}/${name}`),
    async claim({ models, now, limit, claim, until }) {
      const free = [...queue].filter(
        ([, { model, term }]) => models.includes(model) && (term === null || term.until <= now),
      )
      const due = free.map(([id, { dueAt }]) => [id, dueAt] as const)
      return earliest(due, now, limit).map((head) => {
        const place = queue.get(head.task.id)
        if (place !== undefined) queue.set(head.task.id, { ...place, term: { claim, until } })
        return { ...head, claim }
      })
    },
    async renew({ claim, until, tasks }) {
      return tasks.filter((task) => {
        const place = queue.get(task)
        if (place?.term?.claim !== claim) return false
        queue.set(task, { ...place, term: { claim, until } })
        return true
      })
    },
    async release({ claim, tasks, dueAt }) {
      for (const task of tasks) {
        const place = queue.get(task)
        if (place?.term?.claim === claim) queue.set(task, { ...place, dueAt, term: null })
      }
    },
    findOverdue: async ({ now, limit }) =>
      earliest(
        [...queue].map(([id, { endBy }]) => [id, endBy] as const),
        now,
        limit,
      ),
    findRetained: async ({ now, limit }) => earliest(retention, now, limit),
    async retain({ task, dueAt }) {
      setRetention(task, dueAt)
    },
    async nextDueAt(models) {
      const waiting = [...queue.values()].filter(
        ({ model, term }) => models.includes(model) && term === null,
      )
      return waiting.length === 0 ? null : Math.min(...waiting.map(({ dueAt }) => dueAt))
    },
    async scan({ after, limit }) {
      const known = [...new Set([...rows.keys(), ...events.keys()])]
      const ids = known.filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
      const streams = ids.slice(0, limit).map((id) => ({
        id,
        events: events.get(id) ?? [],
        row: rows.get(id),
        artifacts: artifacts.get(id) ?? [],
        charge: charges.get(id),
      }))
      return { streams, next: ids.length > limit ? (ids[limit - 1] ?? null) : null }
    },
    async check() {},
    async close() {},
  }
}
