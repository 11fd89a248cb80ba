/**
 * The queue of the storage in memory: who waits for what, who holds what. A claim ends where it is
 * voided and at no moment, as nothing here reads a clock.
 */
import type {
  Append,
  ClaimBeats,
  Claimed,
  ClaimRequest,
  DueRequest,
  QueueChange,
  QueueMeasure,
  QueueStorage,
  SlotRequest,
  StreamHead,
  TaskRow,
} from "@safelight/core"
import { toStatus } from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

interface Place {
  readonly model: string
  readonly account: string
  readonly dueAt: number
  readonly endBy: number
  readonly turn: number | null
  readonly claim: string | null
}

/** What an append says of its task's place. */
export interface Move extends Pick<Append, "task" | "queue"> {
  readonly changes: { readonly task: Pick<TaskRow, "account" | "model"> }
}

export interface MemoryQueue extends QueueStorage {
  /** Does to a task's place what its append says. */
  move(append: Move): void
  /** The ids of unfinished tasks. */
  listUnfinished(): readonly string[]
}

export type FindHead = (task: string) => StreamHead | undefined

// The methods of one port over one map.
// oxlint-disable-next-line max-lines-per-function
export function createMemoryQueue(findHead: FindHead): MemoryQueue {
  const places = new Map<string, Place>()
  const retention = new Map<string, number>()
  /** The turn that a task has once it is free: only one that was never dispatched is a start. */
  const toFreeTurn: ToFreeTurn = (task, { turn }) => (isUnderWay(findHead(task)) ? null : turn)
  const claims = createClaims(places, toFreeTurn)

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
    const { dueAt, endBy, turn, claim } = queued
    places.set(task, { model, account, dueAt, endBy, turn, claim })
  }

  function earliest(moments: Iterable<readonly [string, number]>, { now, limit }: DueRequest) {
    return [...moments]
      .filter(([, at]) => at <= now)
      .toSorted(([a, x], [b, y]) => x - y || compareIds(a, b))
      .slice(0, limit)
      .flatMap(([id]) => findHead(id) ?? [])
  }

  return {
    ...claims,
    listUnfinished: () => [...places.keys()],
    move(append) {
      const { task, queue } = append
      if (queue?.kind === "enqueue") enqueue(append, queue)
      else if (queue?.kind === "reschedule") {
        change(task, { dueAt: queue.dueAt, claim: queue.claim, turn: null })
      } else if (queue?.kind === "finish") {
        places.delete(task)
        setRetention(task, queue.retainAt)
      }
    },
    async claim(request) {
      return findClaimable(places, request).flatMap(([id, { turn }]): Claimed[] => {
        change(id, { claim: request.claim })
        const head = findHead(id)
        return head === undefined ? [] : [{ ...head, claim: request.claim, turn }]
      })
    },
    async release({ claim, tasks, dueAt, keepsTurns = false }) {
      for (const task of tasks) {
        const place = places.get(task)
        if (place?.claim !== claim) continue
        const turn = keepsTurns ? toFreeTurn(task, place) : null
        change(task, { claim: null, turn, ...(turn === null && { dueAt }) })
      }
    },
    findOverdue: async (request) =>
      earliest(
        [...places]
          .filter(([, { claim, endBy }]) => claim === null || endBy <= request.heldUntil)
          .map(([id, { endBy }]) => [id, endBy] as const),
        request,
      ),
    findRetained: async (request) => earliest(retention, request),
    async retain({ task, dueAt }) {
      setRetention(task, dueAt)
    },
    async peekQueue({ models, now, most }) {
      const free = [...places.values()].filter(
        ({ model, claim }) => claim === null && models.includes(model),
      )
      return {
        dueAt: least(free.flatMap(({ turn, dueAt }) => (turn === null ? [dueAt] : []))),
        turn: least(free.flatMap(({ turn }) => turn ?? [])),
        claimable: Math.min(
          most,
          free.filter(({ turn, dueAt }) => turn !== null || dueAt <= now).length,
        ),
      }
    },
    async findStartedTurn({ models }) {
      const claimed = [...places.values()].filter(
        ({ model, claim }) => claim !== null && models.includes(model),
      )
      const turns = claimed.flatMap(({ turn }) => turn ?? [])
      return turns.length === 0 ? null : Math.max(...turns)
    },
    measureQueue: async () => measure([...places.values()]),
  }
}

type ClaimMethods = Pick<
  QueueStorage,
  "renew" | "listClaims" | "voidClaim" | "freeOthers" | "holdSlots" | "countSlots"
>

function isUnderWay(head: StreamHead | undefined): boolean {
  return head !== undefined && toStatus(head.task) === "running"
}

type ToFreeTurn = (task: string, place: Place) => number | null

function createClaims(places: Map<string, Place>, toFreeTurn: ToFreeTurn): ClaimMethods {
  const beats = new Map<string, number>()
  /** By pool, then by claim; a claim without slots has no entry. */
  const slots = new Map<string, Map<string, number>>()

  function list(): readonly ClaimBeats[] {
    const holders = [...places.values()].flatMap(({ claim }) => claim ?? [])
    const slotHolders = [...slots.values()].flatMap((pool) => [...pool.keys()])
    const known = new Set([...holders, ...slotHolders, ...beats.keys()])
    return [...known].map((claim) => ({ claim, beats: beats.get(claim) ?? 0 }))
  }

  function free(claim: string, except: readonly string[]): void {
    for (const [task, place] of places) {
      if (place.claim !== claim || except.includes(task)) continue
      places.set(task, { ...place, claim: null, turn: toFreeTurn(task, place) })
    }
  }

  return {
    async renew({ claim, tasks }) {
      beats.set(claim, (beats.get(claim) ?? 0) + 1)
      return tasks.filter((task) => places.get(task)?.claim === claim)
    },
    listClaims: async () => list(),
    async voidClaim({ claim, beats: seen }) {
      if ((beats.get(claim) ?? 0) !== seen) return false
      beats.delete(claim)
      free(claim, [])
      for (const pool of slots.values()) pool.delete(claim)
      return true
    },
    freeOthers: async ({ claim, tasks }) => free(claim, tasks),
    holdSlots: async (request) => holdSlots(slots, request),
    countSlots: async (pool) =>
      [...(slots.get(pool)?.values() ?? [])].reduce((sum, each) => sum + each, 0),
  }
}

function holdSlots(
  slots: Map<string, Map<string, number>>,
  { pool, size, claim, count }: SlotRequest,
): number {
  const holders = slots.get(pool) ?? new Map<string, number>()
  slots.set(pool, holders)
  holders.delete(claim)
  const left = size - [...holders.values()].reduce((sum, each) => sum + each, 0)
  const held = Math.max(0, Math.min(count, left))
  if (held > 0) holders.set(claim, held)
  return held
}

type QueuedTask = readonly [id: string, place: Place]

function findClaimable(places: ReadonlyMap<string, Place>, request: ClaimRequest): QueuedTask[] {
  const { models, now, limit, exceptAccounts = [], exceptStarts = false } = request
  const free = [...places].filter(
    ([, place]) => place.claim === null && models.includes(place.model),
  )
  const steps = free.filter(([, { turn, dueAt }]) => turn === null && dueAt <= now)
  const starts = free.filter(
    ([, place]) => !exceptStarts && place.turn !== null && !exceptAccounts.includes(place.account),
  )
  return [...sortBy(steps, ({ dueAt }) => dueAt), ...sortBy(starts, ({ turn }) => turn ?? 0)].slice(
    0,
    Math.max(0, limit),
  )
}

function sortBy(tasks: readonly QueuedTask[], toOrder: (place: Place) => number): QueuedTask[] {
  return tasks.toSorted(([a, one], [b, other]) => toOrder(one) - toOrder(other) || compareIds(a, b))
}

function measure(places: readonly Place[]): QueueMeasure[] {
  const byModel = [...Map.groupBy(places, ({ model }) => model)]
  return byModel
    .map(([model, queued]) => {
      const free = queued.filter(({ claim }) => claim === null)
      return {
        model,
        waiting: free.length,
        claimed: queued.length - free.length,
        oldestAt: least(free.map(({ dueAt }) => dueAt)),
      }
    })
    .toSorted((a, b) => compareIds(a.model, b.model))
}

function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((one, other) => Math.min(one, other))
}
