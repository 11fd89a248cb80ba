/**
 * The queue of the storage in memory: the places of tasks, and the leases that hold them. A lease ends only
 * by `expire`, since nothing here reads a clock.
 */
import type {
  Append,
  DueRequest,
  Pool,
  QueueChange,
  QueueMeasure,
  QueueStorage,
  StreamHead,
  Taken,
  TakeRequest,
  TaskPlace,
  TaskRow,
  WorkerLease,
} from "@safelight/core"
import { toShare, toStatus } from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

export interface Place {
  readonly model: string
  readonly account: string
  readonly dueAt: number
  readonly endBy: number
  readonly startTag: number | null
  readonly lease: string | null
  readonly pool?: Pool | undefined
}

/** The part of an append that is about its task's place. */
export interface Move extends Pick<Append, "task" | "queue"> {
  readonly changes: { readonly task: Pick<TaskRow, "account" | "model"> }
}

export interface MemoryQueue extends QueueStorage {
  /** Applies an append to its task's place. */
  move(append: Move): void
  /** The ids of unfinished tasks. */
  listUnfinished(): readonly string[]
  /** Of unfinished tasks. */
  readonly listPlaces: () => readonly Place[]
  readonly findPlace: (task: string) => Place | undefined
  readonly findRetainedAt: (task: string) => number | undefined
  /** Ids of tasks that have a place, or that retention looks at. */
  readonly listPlaced: () => readonly string[]
  readonly put: (row: TaskRow, place: TaskPlace) => void
}

export type FindHead = (task: string) => StreamHead | undefined

// The methods of one port over one map.
// oxlint-disable-next-line max-lines-per-function
export function createMemoryQueue(
  findHead: FindHead,
  findRunningLimit: (account: string) => number | null,
): MemoryQueue {
  const places = new Map<string, Place>()
  const retention = new Map<string, number>()
  /** The start tag of a task that is released: only a task that was never dispatched keeps it. */
  const toFreeTag: ToFreeTag = (task, { startTag }) =>
    isUnderWay(findHead(task)) ? null : startTag
  const leases = createLeases(places, toFreeTag)

  function change(task: string, changed: Partial<Place>): void {
    const place = places.get(task)
    if (place !== undefined) places.set(task, { ...place, ...changed })
  }

  function setRetention(task: string, dueAt: number | null): void {
    if (dueAt === null) retention.delete(task)
    else retention.set(task, dueAt)
  }

  function enqueue({ task, changes }: Move, queued: QueueChange & { kind: "enqueue" }): void {
    const { model, account } = changes.task
    const { dueAt, endBy, lease, pool, startTag } = queued
    places.set(task, { model, account, dueAt, endBy, startTag, lease, pool })
  }

  function earliest(moments: Iterable<readonly [string, number]>, { now, limit }: DueRequest) {
    return [...moments]
      .filter(([, at]) => at <= now)
      .toSorted(([a, x], [b, y]) => x - y || compareIds(a, b))
      .slice(0, limit)
      .flatMap(([id]) => findHead(id) ?? [])
  }

  return {
    ...leases,
    listUnfinished: () => [...places.keys()],
    listPlaces: () => [...places.values()],
    findPlace: (task) => places.get(task),
    findRetainedAt: (task) => retention.get(task),
    listPlaced: () => [...places.keys(), ...retention.keys()],
    put({ account, id, model }, { ready, retainAt }) {
      if (ready === null) places.delete(id)
      else places.set(id, { account, model, ...ready, lease: null, startTag: null })
      setRetention(id, retainAt)
    },
    move(append) {
      const { task, queue } = append
      if (queue?.kind === "enqueue") enqueue(append, queue)
      else if (queue?.kind === "reschedule") {
        change(task, { dueAt: queue.dueAt, lease: queue.lease, startTag: null })
      } else if (queue?.kind === "finish") {
        places.delete(task)
        setRetention(task, queue.retainAt)
      }
    },
    async take(request) {
      const { lease } = request
      return findTakeable(places, request).flatMap(([id, { account, startTag }]): Taken[] => {
        change(id, { lease })
        const head = findHead(id)
        const runningLimit = findRunningLimit(account)
        return head === undefined ? [] : [{ ...head, lease, startTag, runningLimit }]
      })
    },
    async release({ lease, tasks, dueAt, startsAnew = false }) {
      for (const task of tasks) {
        const place = places.get(task)
        if (place?.lease !== lease) continue
        const startTag = startsAnew ? (place.startTag ?? 0) : toFreeTag(task, place)
        change(task, { lease: null, startTag, dueAt })
      }
    },
    findRunningLimits: async (accounts) =>
      new Map(accounts.map((account) => [account, findRunningLimit(account)])),
    findOverdue: async (request) =>
      earliest(
        [...places]
          .filter(([, { lease, endBy }]) => lease === null || endBy <= request.heldUntil)
          .map(([id, { endBy }]) => [id, endBy] as const),
        request,
      ),
    findRetained: async (request) => earliest(retention, request),
    async retain({ task, dueAt }) {
      setRetention(task, dueAt)
    },
    async peekQueue({ models, now, most }) {
      const free = [...places.values()].filter(
        ({ model, lease }) => lease === null && models.includes(model),
      )
      const takeable = free.filter(({ dueAt }) => dueAt <= now)
      return {
        dueAt: least(free.flatMap(({ startTag, dueAt }) => (startTag === null ? [dueAt] : []))),
        startTag: least(takeable.flatMap(({ startTag }) => startTag ?? [])),
        takeable: Math.min(most, takeable.length),
      }
    },
    async findStartedTag({ models }) {
      const tags = [...places.values()].flatMap(({ lease, model, startTag }) =>
        lease !== null && models.includes(model) ? (startTag ?? []) : [],
      )
      return tags.length === 0 ? null : Math.max(...tags)
    },
    measureQueue: async () => measure([...places.values()]),
  }
}

type LeaseMethods = Pick<QueueStorage, "heartbeat" | "listLeases" | "expire">

function isUnderWay(head: StreamHead | undefined): boolean {
  return head !== undefined && toStatus(head.task) === "running"
}

type ToFreeTag = (task: string, place: Place) => number | null

function createLeases(places: Map<string, Place>, toFreeTag: ToFreeTag): LeaseMethods {
  const leases = new Map<string, WorkerLease>()

  function list(): readonly WorkerLease[] {
    const holders = [...places.values()].flatMap(({ lease }) => lease ?? [])
    const known = new Set([...holders, ...leases.keys()])
    return [...known].map((lease) => leases.get(lease) ?? { lease, heartbeats: 0 })
  }

  return {
    async heartbeat({ lease, heartbeats, facts }) {
      if ((leases.get(lease)?.heartbeats ?? 0) < heartbeats)
        leases.set(lease, { lease, heartbeats, facts })
      const held = [...places].flatMap(([task, place]) => (place.lease === lease ? task : []))
      return { held, leases: list() }
    },
    listLeases: async () => list(),
    async expire({ lease, heartbeats }) {
      if ((leases.get(lease)?.heartbeats ?? 0) !== heartbeats) return false
      leases.delete(lease)
      for (const [task, place] of places) {
        if (place.lease !== lease) continue
        places.set(task, { ...place, lease: null, startTag: toFreeTag(task, place) })
      }
      return true
    },
  }
}

type QueuedTask = readonly [id: string, place: Place]

function findTakeable(places: ReadonlyMap<string, Place>, request: TakeRequest): QueuedTask[] {
  const { models, now, limit, permits, turn, dueOnly = false } = request
  const free = [...places].filter(
    ([, { lease, model, dueAt }]) => lease === null && models.includes(model) && dueAt <= now,
  )
  const due = free.filter(([, { startTag }]) => startTag === null)
  const left = new Map(permits)
  const hasShare = (pool: Pool | undefined): boolean =>
    turn === undefined || pool === undefined || toShare(turn, pool.size, () => pool.number) > 0
  const inLine = free.filter(
    ([, { account, pool, startTag }]) =>
      !dueOnly && startTag !== null && left.get(account) !== 0 && hasShare(pool),
  )
  // Of each model no more than can be taken is looked at, as SQL does it.
  const front = [...Map.groupBy(inLine, ([, { model }]) => model).values()].flatMap((ofModel) =>
    sortBy(ofModel, ({ startTag }) => startTag ?? 0).slice(0, limit),
  )
  const fresh = sortBy(front, ({ startTag }) => startTag ?? 0).filter(([, { account }]) => {
    const count = left.get(account) ?? Infinity
    left.set(account, count - 1)
    return count > 0
  })
  return [...sortBy(due, ({ dueAt }) => dueAt), ...fresh].slice(0, Math.max(0, limit))
}

function sortBy(tasks: readonly QueuedTask[], toOrder: (place: Place) => number): QueuedTask[] {
  return tasks.toSorted(([a, one], [b, other]) => toOrder(one) - toOrder(other) || compareIds(a, b))
}

function measure(places: readonly Place[]): QueueMeasure[] {
  const byModel = [...Map.groupBy(places, ({ model }) => model)]
  return byModel
    .map(([model, queued]) => {
      const free = queued.filter(({ lease }) => lease === null)
      return {
        model,
        waiting: free.length,
        held: queued.length - free.length,
        oldestAt: least(free.map(({ dueAt }) => dueAt)),
      }
    })
    .toSorted((a, b) => compareIds(a.model, b.model))
}

function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((one, other) => Math.min(one, other))
}
