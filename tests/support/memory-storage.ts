/**
 * Storage in memory, for engine tests that turn on a manual clock: nothing in it waits for I/O, so
 * a test decides every order. It passes the storage contract like any adapter, and can be told to
 * fail.
 */
import {
  SafelightError,
  type Append,
  type ArtifactRow,
  type ClaimTerm,
  type Input,
  type ListPage,
  type ListRequest,
  type QueueChange,
  type Storage,
  type StoredEvent,
  type StoredKey,
  type StreamHead,
  type TaskPosition,
  type TaskRow,
  fromSnapshot,
} from "@safelight/core"

interface Place {
  readonly model: string
  readonly dueAt: number
  readonly endBy: number
  readonly term: ClaimTerm | null
}

export interface MemoryStorage extends Storage {
  readonly events: ReadonlyMap<string, readonly StoredEvent[]>
  readonly inputs: ReadonlyMap<string, Input>
  /** The next `times` appends reject; where `isStored`, they were stored all the same. */
  failAppends(times: number, isStored?: boolean): void
}

export function createMemoryStorage(): MemoryStorage {
  const events = new Map<string, StoredEvent[]>()
  const rows = new Map<string, TaskRow>()
  const artifacts = new Map<string, ArtifactRow[]>()
  const inputs = new Map<string, Input>()
  const queue = new Map<string, Place>()
  const retention = new Map<string, number>()
  const keys = new Map<string, StoredKey>()
  let failures = 0
  let isStoredAnyway = false

  function headOf(id: string): StreamHead | undefined {
    const row = rows.get(id)
    return row && { task: fromSnapshot(row.snapshot), hash: row.hash }
  }

  function store(append: Append): void {
    const { task, changes } = append
    const stored = events.get(task) ?? []
    if (stored.length !== append.expectedVersion) {
      const newest = append.events.at(-1)
      if (stored.some(({ hash }) => hash === newest?.hash)) return
      throw new SafelightError({ code: "version-conflict", message: `task ${task} has moved on` })
    }
    events.set(task, [...stored, ...append.events])
    rows.set(task, changes.task)
    artifacts.set(task, [...(artifacts.get(task) ?? []), ...changes.artifacts])
    for (const input of append.inputs ?? []) {
      const name = `${input.task}/${input.name}`
      if (!inputs.has(name)) inputs.set(name, input)
    }
    if (append.queue !== undefined) move(append, append.queue)
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

  function listTasks(request: ListRequest): ListPage {
    const { createdAfter = 0, createdBefore = Infinity, after, status, model, limit } = request
    const listed = [...rows.values()]
      .filter((row) => row.account === request.account)
      .filter((row) => row.createdAt >= createdAfter && row.createdAt < createdBefore)
      .filter((row) => status === undefined || row.status === status)
      .filter((row) => model === undefined || row.model === model)
      .filter((row) => after === undefined || compareNewestFirst(row, after) > 0)
      .toSorted(compareNewestFirst)
    const shown = listed.slice(0, limit)
    const last = listed.length > limit ? shown.at(-1) : undefined
    return {
      tasks: shown.map(({ snapshot }) => fromSnapshot(snapshot)),
      next: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
    }
  }

  return {
    events,
    inputs,
    failAppends(times, isStored = false) {
      failures = times
      isStoredAnyway = isStored
    },
    async append(append) {
      const isFailing = failures > 0
      if (isFailing) failures -= 1
      if (!isFailing || isStoredAnyway) store(append)
      if (!isFailing) return
      const message = "the database does not answer"
      throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
    },
    readTask: async (id) => headOf(id),
    listTasks: async (request) => listTasks(request),
    readArtifacts: async (task) => artifacts.get(task) ?? [],
    readEvents: async (task) => events.get(task) ?? [],
    async eraseInputs(task) {
      const names = [...inputs.values()].filter((input) => input.task === task)
      for (const { name } of names) inputs.delete(`${task}/${name}`)
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
      }))
      return { streams, next: ids.length > limit ? (ids[limit - 1] ?? null) : null }
    },
    async createKey(key) {
      if (keys.has(key.id)) {
        throw new SafelightError({ code: "already-exists", message: "the key exists" })
      }
      keys.set(key.id, key)
    },
    findKey: async (id) => keys.get(id),
    listKeys: async () =>
      [...keys.values()].toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    async revokeKey({ id, revokedAt }) {
      const key = keys.get(id)
      if (key !== undefined && key.revokedAt === 0) keys.set(id, { ...key, revokedAt })
      return key !== undefined
    },
    async check() {},
    async close() {},
  }
}

function compareNewestFirst(a: TaskPosition, b: TaskPosition): number {
  return b.createdAt - a.createdAt || compareIds(b.id, a.id)
}

/** By code points, as databases order text; JavaScript compares UTF-16 units. */
function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
