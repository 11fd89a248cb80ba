/**
 * What the upstream was made to create, kept in the memory of the process that no fault touches:
 * the purchases. A keyed and a lookup provider know a key again, an unkeyed one creates at every
 * call; a creation that is void produced nothing and was not billed, so another may follow it.
 */
import type { Channel } from "@safelight/core"
import { toProduction, type Flaw, type Production, type UpstreamOrder } from "./products.ts"
import type { Course } from "./upstream-script.ts"

export type UpstreamKind = Channel["submission"]["kind"]

export interface Creation {
  readonly kind: UpstreamKind
  readonly task: string
  readonly key: string
  readonly operation: string
  readonly ending: Course
  /** What it makes where it completes; what it is billed for where it refuses and is billed. */
  readonly production: Production
  /** What a refusal says in the provider's own words. */
  readonly words: string
  readonly createdAt: number
  /** When the work is complete, before which every poll says "running"; 0 where polls alone count. */
  readonly completeAt: number
  /** Polls that still say "running". */
  pollsLeft: number
  /** Whether its end was told: until then nobody can know that it is void or billed. */
  isEndTold: boolean
  /** Whether it was cancelled before its work was complete: it makes nothing any more. */
  isStopped: boolean
  /** Every answer that named its operation, to a node that was there to read it. */
  readonly told: Telling[]
}

/** Whether it counts as bought: it does, unless it was told to have produced nothing. */
export function isKept({ ending, isEndTold }: Creation): boolean {
  return ending !== "produces-nothing" || !isEndTold
}

/** A whole answer that left, and the node it left for. */
export interface Telling {
  readonly node: string
  readonly at: number
  /** Set where the node asked by the operation's name, as a poll does: it knew that before. */
  readonly wasKnown?: true
}

export interface CreateRequest {
  readonly order: UpstreamOrder
  readonly kind: UpstreamKind
  readonly key: string
  readonly task: string
  /** The node that asks. */
  readonly node: string
}

export interface Creations {
  create(request: CreateRequest, toCourse: ToCourse): Creation
  findByKey(kind: UpstreamKind, key: string): Creation | undefined
  findByOperation(operation: string): Creation | undefined
  list(): readonly Creation[]
}

export interface CreationCourse {
  readonly ending: Course
  readonly flaw?: Flaw | null
  readonly pollsBefore: number
  /** How long the work takes besides; none by default. */
  readonly workMs?: number
}

type ToCourse = (operation: string) => CreationCourse

export function createCreations(): Creations {
  const byOperation = new Map<string, Creation>()
  const byKey = new Map<string, Creation>()
  return {
    create({ kind, key, order, task }, toCourse) {
      const name = `${kind} ${key}`
      const known = kind === "unkeyed" ? undefined : byKey.get(name)
      if (known !== undefined) return known
      const operation = `${kind}-${byOperation.size + 1}-${key}`
      const { ending, flaw, pollsBefore: pollsLeft, workMs = 0 } = toCourse(operation)
      const createdAt = Date.now()
      const created: Creation = {
        kind,
        key,
        task,
        operation,
        ending,
        production: toProduction(operation, order, flaw),
        words: `no, not "${order.prompt}"`,
        createdAt,
        pollsLeft,
        completeAt: workMs === 0 ? 0 : createdAt + workMs,
        isEndTold: false,
        isStopped: false,
        told: [],
      }
      byOperation.set(operation, created)
      byKey.set(name, created)
      return created
    },
    findByKey: (kind, key) => byKey.get(`${kind} ${key}`),
    findByOperation: (operation) => byOperation.get(operation),
    list: () => [...byOperation.values()],
  }
}
