/**
 * The queue as a few maps, for the storage of the contract's generated runs: places, leases and
 * their heartbeats. It says which answer of a taking is right, and takes it over.
 */
import type {
  Append,
  Heartbeat,
  HeartbeatRequest,
  OverdueRequest,
  PeekRequest,
  QueueMeasure,
  QueuePeek,
  ReleaseRequest,
  Taken,
  TakeRequest,
  WorkerLease,
} from "@safelight/core"

interface Place {
  readonly model: string
  readonly account: string
  readonly dueAt: number
  readonly endBy: number
  readonly startTag: number | null
  readonly lease: string | null
  /** Whether it was ever dispatched: it is then no new task any more, though it has a start tag. */
  readonly isUnderWay: boolean
}

export interface QueueModel {
  /** Why `taken` is not the right answer, or undefined where it is; then the tasks are taken. */
  readonly take: (request: TakeRequest, taken: readonly Taken[]) => string | undefined
  /** What is held, in the order of ids. */
  readonly heartbeat: (request: HeartbeatRequest) => Heartbeat
  /** In the order of their names. */
  readonly listLeases: () => readonly WorkerLease[]
  readonly expire: (lease: Pick<WorkerLease, "lease" | "beats">) => boolean
  readonly release: (request: ReleaseRequest) => void
  readonly retain: (task: string, dueAt: number | null) => void
  readonly peek: (request: PeekRequest) => QueuePeek
  readonly startedTag: (models: readonly string[]) => number | null
  readonly measure: () => readonly QueueMeasure[]
  /** Ids, in the order of ids. */
  readonly findOverdue: (request: Omit<OverdueRequest, "limit">) => readonly string[]
  readonly findRetained: (now: number) => readonly string[]
}

export interface QueueModelParts extends QueueModel {
  readonly changePlace: (append: Append) => void
}

export function createQueueModel(): QueueModelParts {
  const places = new Map<string, Place>()
  const retention = new Map<string, number>()

  function change(task: string, changed: Partial<Place>): void {
    const place = places.get(task)
    if (place !== undefined) places.set(task, { ...place, ...changed })
  }

  function retain(task: string, dueAt: number | null): void {
    if (dueAt === null) retention.delete(task)
    else retention.set(task, dueAt)
  }

  function changePlace({ task, changes, queue }: Append): void {
    change(task, { isUnderWay: changes.task.status === "running" })
    if (queue?.kind === "finish") {
      places.delete(task)
      retain(task, queue.retainAt)
    } else if (queue?.kind === "reschedule") {
      change(task, { dueAt: queue.dueAt, lease: queue.lease, startTag: null })
    } else if (queue?.kind === "enqueue") {
      const { kind: _kind, ...place } = queue
      const { model, account } = changes.task
      places.set(task, { ...place, model, account, isUnderWay: changes.task.status === "running" })
    }
  }

  return {
    ...createLeaseModel(places),
    changePlace,
    retain,
    take(request, taken) {
      const expected = findTakeable(places, request)
      for (const [task] of expected) change(task, { lease: request.lease })
      const answer = JSON.stringify(taken.map(({ task, startTag }) => [task.id, startTag]))
      const right = JSON.stringify(expected.map(([task, { startTag }]) => [task, startTag]))
      return answer === right ? undefined : `${answer}, and not ${right}`
    },
    peek({ models, now, most }) {
      const free = freePlaces(places).filter(([, { model }]) => models.includes(model))
      const due = free.flatMap(([, { startTag, dueAt }]) => (startTag === null ? [dueAt] : []))
      const takeable = free.filter(([, { dueAt }]) => dueAt <= now)
      const tags = takeable.flatMap(([, { startTag }]) => startTag ?? [])
      return {
        dueAt: least(due),
        startTag: least(tags),
        takeable: Math.min(takeable.length, most),
      }
    },
    startedTag(models) {
      const started = [...places.values()].flatMap(({ lease, model, startTag }) =>
        lease !== null && models.includes(model) && startTag !== null ? startTag : [],
      )
      return started.length === 0 ? null : Math.max(...started)
    },
    measure: () => measure([...places.values()]),
    findOverdue: ({ heldUntil, now }) =>
      idsBy(places, ({ lease, endBy }) => endBy <= (lease === null ? now : heldUntil)),
    findRetained: (now) => idsBy(retention, (dueAt) => dueAt <= now),
  }
}

const toFreeTag = ({ isUnderWay, startTag }: Place): number | null => (isUnderWay ? null : startTag)

type LeaseModel = Pick<QueueModel, "heartbeat" | "listLeases" | "expire" | "release">

function createLeaseModel(places: Map<string, Place>): LeaseModel {
  const leases = new Map<string, WorkerLease>()

  function list(): readonly WorkerLease[] {
    const holders = [...places.values()].flatMap(({ lease }) => lease ?? [])
    const known = new Set([...holders, ...leases.keys()])
    return [...known].toSorted().map((lease) => leases.get(lease) ?? { lease, beats: 0 })
  }

  return {
    listLeases: list,
    heartbeat({ lease, beats, facts }) {
      if ((leases.get(lease)?.beats ?? 0) < beats) leases.set(lease, { lease, beats, facts })
      const held = [...places].flatMap(([task, place]) => (place.lease === lease ? task : []))
      return { held: held.toSorted(), leases: list() }
    },
    expire({ lease, beats }) {
      if (beats !== (leases.get(lease)?.beats ?? 0)) return false
      leases.delete(lease)
      for (const [task, place] of places) {
        if (place.lease !== lease) continue
        places.set(task, { ...place, lease: null, startTag: toFreeTag(place) })
      }
      return true
    },
    release({ lease, dueAt, tasks, startsAnew = false }) {
      for (const task of tasks) {
        const place = places.get(task)
        if (place?.lease !== lease) continue
        const startTag = startsAnew ? (place.startTag ?? 0) : toFreeTag(place)
        places.set(task, { ...place, lease: null, startTag, dueAt })
      }
    },
  }
}

type Entry = readonly [task: string, place: Place]

function findTakeable(places: ReadonlyMap<string, Place>, request: TakeRequest): Entry[] {
  const { dueOnly = false, limit, models, now, permits } = request
  const meant = freePlaces(places).filter(
    ([, { dueAt, model }]) => models.includes(model) && dueAt <= now,
  )
  const due = meant.filter(([, { startTag }]) => startTag === null)
  const left = new Map(permits)
  // Of each model only the first `limit` of those with permits are looked at.
  const front = models.flatMap((model) => {
    const ofModel = meant.filter(
      ([, place]) =>
        !dueOnly &&
        place.model === model &&
        place.startTag !== null &&
        permits?.get(place.account) !== 0,
    )
    return orderBy(ofModel, "startTag").slice(0, limit)
  })
  const permitted = orderBy(front, "startTag").filter(([, { account }]) => {
    const count = left.get(account) ?? Infinity
    left.set(account, count - 1)
    return count > 0
  })
  return [...orderBy(due, "dueAt"), ...permitted].slice(0, limit)
}

function orderBy(entries: readonly Entry[], name: "dueAt" | "startTag"): Entry[] {
  return entries.toSorted(
    ([a, one], [b, other]) => Number(one[name]) - Number(other[name]) || (a < b ? -1 : 1),
  )
}

function freePlaces(places: ReadonlyMap<string, Place>): Entry[] {
  return [...places].filter(([, { lease }]) => lease === null)
}

function measure(places: readonly Place[]): QueueMeasure[] {
  const models = [...new Set(places.map(({ model }) => model))].toSorted()
  return models.map((model) => {
    const queued = places.filter((place) => place.model === model)
    const free = queued.filter(({ lease }) => lease === null)
    const oldestAt = least(free.map(({ dueAt }) => dueAt))
    return { model, waiting: free.length, held: queued.length - free.length, oldestAt }
  })
}

function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers)
}

function idsBy<Row>(rows: ReadonlyMap<string, Row>, isMeant: (row: Row) => boolean): string[] {
  return [...rows].flatMap(([id, row]) => (isMeant(row) ? [id] : [])).toSorted()
}
