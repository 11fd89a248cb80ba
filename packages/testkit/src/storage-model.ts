/**
 * A storage as a few maps: slow, obvious, and right. The contract's generated runs compare every
 * answer with it. It says which tasks may be claimed, not which of two that are due at once.
 */
import type {
  Admission,
  AdmitRequest,
  Append,
  Claimed,
  ClaimRequest,
  QueueChange,
  ReleaseRequest,
  RenewRequest,
  StreamHead,
} from "@safelight/core"
import { createAccountModel, type AccountModel } from "./storage-model-accounts.ts"

interface Place {
  readonly model: string
  readonly dueAt: number
  readonly endBy: number
  readonly claim: string | null
  readonly until: number
}

export interface StorageModel extends PlaceModel {
  readonly heads: ReadonlyMap<string, StreamHead>
  readonly accounts: AccountModel
  /** Whether the append is stored, now or earlier. */
  readonly append: (append: Append, head: StreamHead) => boolean
  /** What becomes of an admission; undefined where another task has its id. */
  readonly admit: (request: AdmitRequest, head: StreamHead) => Admission | undefined
}

interface PlaceModel {
  /** Why `claimed` is not a right answer, or undefined where it is; then the tasks are claimed. */
  readonly claim: (request: ClaimRequest, claimed: readonly Claimed[]) => string | undefined
  readonly renew: (request: RenewRequest) => readonly string[]
  readonly release: (request: ReleaseRequest) => void
  readonly retain: (task: string, dueAt: number | null) => void
  readonly nextDueAt: (models: readonly string[]) => number | null
  /** Ids, in the order of ids. */
  readonly findOverdue: (now: number) => readonly string[]
  readonly findRetained: (now: number) => readonly string[]
}

export function createStorageModel(): StorageModel {
  const heads = new Map<string, StreamHead>()
  const hashes = new Set<string>()
  const accounts = createAccountModel(heads)
  const { changePlace, ...places } = createPlaceModel()
  const isStored = ({ events }: Append) => hashes.has(events.at(-1)?.hash ?? "")

  function add(append: Append, head: StreamHead): boolean {
    const isNext = (heads.get(append.task)?.task.version ?? 0) === append.expectedVersion
    if (!isNext) return isStored(append)
    hashes.add(head.hash)
    heads.set(append.task, head)
    if (append.queue !== undefined) changePlace(append, append.queue)
    return true
  }

  return {
    ...places,
    heads,
    accounts,
    append: add,
    admit: (request, head) =>
      accounts.admit(request, isStored(request.append), () => add(request.append, head)),
  }
}

function createPlaceModel(): PlaceModel & {
  readonly changePlace: (append: Append, queue: QueueChange) => void
} {
  const places = new Map<string, Place>()
  const retention = new Map<string, number>()
  const isHeld = (task: string, claim: string) => places.get(task)?.claim === claim

  function change(task: string, changed: Partial<Place>): void {
    const place = places.get(task)
    if (place !== undefined) places.set(task, { ...place, ...changed })
  }

  function retain(task: string, dueAt: number | null): void {
    if (dueAt === null) retention.delete(task)
    else retention.set(task, dueAt)
  }

  function changePlace({ task, changes }: Append, queue: QueueChange): void {
    if (queue.kind === "finish") {
      places.delete(task)
      retain(task, queue.retainAt)
      return
    }
    const { dueAt, claim } = queue
    const term = { dueAt, claim: claim?.claim ?? null, until: claim?.until ?? 0 }
    if (queue.kind === "reschedule") change(task, term)
    else places.set(task, { model: changes.task.model, endBy: queue.endBy, ...term })
  }

  return {
    changePlace,
    retain,
    claim(request, claimed) {
      const taken = claimed.map(({ task }) => task.id)
      const wrong = findWrongClaim(places, request, taken)
      for (const task of taken) change(task, { claim: request.claim, until: request.until })
      return wrong
    },
    renew({ claim, until, tasks }) {
      const held = tasks.filter((task) => isHeld(task, claim))
      for (const task of held) change(task, { until })
      return held
    },
    release({ claim, dueAt, tasks }) {
      for (const task of tasks) {
        if (isHeld(task, claim)) change(task, { dueAt, claim: null, until: 0 })
      }
    },
    nextDueAt: (models) => findNextDueAt(places, models),
    findOverdue: (now) => idsBy(places, ({ endBy }) => endBy <= now),
    findRetained: (now) => idsBy(retention, (dueAt) => dueAt <= now),
  }
}

function findNextDueAt(
  places: ReadonlyMap<string, Place>,
  models: readonly string[],
): number | null {
  const dueAts = [...places.values()]
    .filter(({ model, claim }) => claim === null && models.includes(model))
    .map(({ dueAt }) => dueAt)
  return dueAts.length === 0 ? null : Math.min(...dueAts)
}

function findWrongClaim(
  places: ReadonlyMap<string, Place>,
  { models, now, limit }: ClaimRequest,
  taken: readonly string[],
): string | undefined {
  const claimable = idsBy(
    places,
    ({ model, dueAt, until }) => models.includes(model) && dueAt <= now && until <= now,
  )
  const dueAtOf = (task: string) => places.get(task)?.dueAt ?? Number.NaN
  const dueAts = taken.map(dueAtOf)
  const left = claimable.filter((task) => !taken.includes(task))
  if (new Set(taken).size < taken.length) return "a task was claimed twice"
  if (!taken.every((task) => claimable.includes(task))) return "a task was not to be claimed"
  if (taken.length !== Math.min(limit, claimable.length)) return "too few or too many"
  if (dueAts.some((dueAt, index) => dueAt < (dueAts[index - 1] ?? 0))) return "out of order"
  return left.some((task) => dueAtOf(task) < Math.max(0, ...dueAts))
    ? "not the earliest"
    : undefined
}

function idsBy<Row>(rows: ReadonlyMap<string, Row>, isMeant: (row: Row) => boolean): string[] {
  return [...rows].flatMap(([id, row]) => (isMeant(row) ? [id] : [])).toSorted()
}
