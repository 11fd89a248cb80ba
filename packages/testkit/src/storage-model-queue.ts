/**
 * The queue as a few maps, for the storage of the contract's generated runs: places, claims and
 * their beats, slots. It says which answer of a claim is right, and takes it over.
 */
import type {
  Append,
  ClaimBeats,
  Claimed,
  ClaimRequest,
  OverdueRequest,
  PeekRequest,
  QueueMeasure,
  QueuePeek,
  ReleaseRequest,
  RenewRequest,
  SlotRequest,
} from "@safelight/core"

interface Place {
  readonly model: string
  readonly account: string
  readonly dueAt: number
  readonly endBy: number
  readonly turn: number | null
  readonly claim: string | null
  /** Whether it was ever dispatched: it is then no start any more, though it has a turn. */
  readonly isUnderWay: boolean
}

export interface QueueModel {
  /** Why `claimed` is not the right answer, or undefined where it is; then the tasks are claimed. */
  readonly claim: (request: ClaimRequest, claimed: readonly Claimed[]) => string | undefined
  readonly renew: (request: RenewRequest) => readonly string[]
  /** In the order of their names. */
  readonly listClaims: () => readonly ClaimBeats[]
  readonly voidClaim: (claim: ClaimBeats) => boolean
  readonly freeOthers: (request: RenewRequest) => void
  readonly holdSlots: (request: SlotRequest) => number
  readonly release: (request: ReleaseRequest) => void
  readonly retain: (task: string, dueAt: number | null) => void
  readonly peek: (request: PeekRequest) => QueuePeek
  readonly startedTurn: (models: readonly string[]) => number | null
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
      change(task, { dueAt: queue.dueAt, claim: queue.claim, turn: null })
    } else if (queue?.kind === "enqueue") {
      const { kind: _kind, ...place } = queue
      const { model, account } = changes.task
      places.set(task, { ...place, model, account, isUnderWay: changes.task.status === "running" })
    }
  }

  return {
    ...createClaimModel(places),
    changePlace,
    retain,
    claim(request, claimed) {
      const expected = findClaimable(places, request)
      for (const [task] of expected) change(task, { claim: request.claim })
      const answer = JSON.stringify(claimed.map(({ task, turn }) => [task.id, turn]))
      const right = JSON.stringify(expected.map(([task, { turn }]) => [task, turn]))
      return answer === right ? undefined : `${answer}, and not ${right}`
    },
    peek({ models, now, most }) {
      const free = freePlaces(places).filter(([, { model }]) => models.includes(model))
      const steps = free.flatMap(([, { turn, dueAt }]) => (turn === null ? [dueAt] : []))
      const starts = free.flatMap(([, { turn }]) => turn ?? [])
      const claimable = starts.length + steps.filter((dueAt) => dueAt <= now).length
      return { dueAt: least(steps), turn: least(starts), claimable: Math.min(claimable, most) }
    },
    startedTurn(models) {
      const started = [...places.values()].flatMap(({ claim, model, turn }) =>
        claim !== null && models.includes(model) && turn !== null ? turn : [],
      )
      return started.length === 0 ? null : Math.max(...started)
    },
    measure: () => measure([...places.values()]),
    findOverdue: ({ heldUntil, now }) =>
      idsBy(places, ({ claim, endBy }) => endBy <= (claim === null ? now : heldUntil)),
    findRetained: (now) => idsBy(retention, (dueAt) => dueAt <= now),
  }
}

const toFreeTurn = ({ isUnderWay, turn }: Place): number | null => (isUnderWay ? null : turn)

type ClaimModel = Pick<
  QueueModel,
  "renew" | "listClaims" | "voidClaim" | "freeOthers" | "holdSlots" | "release"
>

function createClaimModel(places: Map<string, Place>): ClaimModel {
  const beats = new Map<string, number>()
  let slots: readonly (SlotRequest & { readonly held: number })[] = []

  function free(claim: string, except: readonly string[]): void {
    for (const [task, place] of places) {
      if (place.claim !== claim || except.includes(task)) continue
      places.set(task, { ...place, claim: null, turn: toFreeTurn(place) })
    }
  }

  return {
    renew({ claim, tasks }) {
      beats.set(claim, (beats.get(claim) ?? 0) + 1)
      return tasks.filter((task) => places.get(task)?.claim === claim)
    },
    listClaims() {
      const holders = [...places.values()].flatMap(({ claim }) => claim ?? [])
      const slotHolders = slots.flatMap(({ claim, held }) => (held > 0 ? claim : []))
      const known = new Set([...holders, ...slotHolders, ...beats.keys()])
      return [...known].toSorted().map((claim) => ({ claim, beats: beats.get(claim) ?? 0 }))
    },
    voidClaim({ claim, beats: seen }) {
      if (seen !== (beats.get(claim) ?? 0)) return false
      beats.delete(claim)
      slots = slots.filter((slot) => slot.claim !== claim)
      free(claim, [])
      return true
    },
    freeOthers: ({ claim, tasks }) => free(claim, tasks),
    release({ claim, dueAt, tasks, keepsTurns = false }) {
      for (const task of tasks) {
        const place = places.get(task)
        if (place?.claim !== claim) continue
        const turn = keepsTurns ? toFreeTurn(place) : null
        places.set(task, {
          ...place,
          claim: null,
          turn,
          dueAt: turn === null ? dueAt : place.dueAt,
        })
      }
    },
    holdSlots(request) {
      const { pool, claim, size, count } = request
      const others = slots.filter((slot) => slot.pool !== pool || slot.claim !== claim)
      const taken = others.reduce((sum, slot) => sum + (slot.pool === pool ? slot.held : 0), 0)
      const held = Math.max(0, Math.min(count, size - taken))
      slots = [...others, { ...request, held }]
      return held
    },
  }
}

type Entry = readonly [task: string, place: Place]

function findClaimable(places: ReadonlyMap<string, Place>, request: ClaimRequest): Entry[] {
  const { models, now, limit, exceptAccounts = [] } = request
  const meant = freePlaces(places).filter(([, { model }]) => models.includes(model))
  const steps = meant.filter(([, { turn, dueAt }]) => turn === null && dueAt <= now)
  const starts = meant.filter(
    ([, place]) => place.turn !== null && !exceptAccounts.includes(place.account),
  )
  const inOrder = [...orderBy(steps, "dueAt"), ...orderBy(starts, "turn")]
  return inOrder.slice(0, limit)
}

function orderBy(entries: readonly Entry[], name: "dueAt" | "turn"): Entry[] {
  return entries.toSorted(
    ([a, one], [b, other]) => Number(one[name]) - Number(other[name]) || (a < b ? -1 : 1),
  )
}

function freePlaces(places: ReadonlyMap<string, Place>): Entry[] {
  return [...places].filter(([, { claim }]) => claim === null)
}

function measure(places: readonly Place[]): QueueMeasure[] {
  const models = [...new Set(places.map(({ model }) => model))].toSorted()
  return models.map((model) => {
    const queued = places.filter((place) => place.model === model)
    const free = queued.filter(({ claim }) => claim === null)
    const oldestAt = least(free.map(({ dueAt }) => dueAt))
    return { model, waiting: free.length, claimed: queued.length - free.length, oldestAt }
  })
}

function least(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers)
}

function idsBy<Row>(rows: ReadonlyMap<string, Row>, isMeant: (row: Row) => boolean): string[] {
  return [...rows].flatMap(([id, row]) => (isMeant(row) ? [id] : [])).toSorted()
}
