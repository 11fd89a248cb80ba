/**
 * What the upstream was made to create, kept in the memory of the process that no fault touches:
 * the purchases. A keyed and a lookup provider know a key again, an unkeyed one creates at every
 * call; a creation that is void produced nothing and was not billed, so another may follow it.
 */
import type { Channel } from "@safelight/core"
import type { Course } from "./upstream-script.ts"

export type UpstreamKind = Channel["submission"]["kind"]

export interface Creation {
  readonly kind: UpstreamKind
  readonly task: string
  readonly key: string
  readonly operation: string
  readonly ending: Course
  /** Polls that still say "running". */
  pollsLeft: number
  /** Whether its end was told: until then nobody can know that it is void or billed. */
  isEndTold: boolean
}

export interface CreateRequest {
  readonly kind: UpstreamKind
  readonly key: string
  readonly task: string
}

export interface Creations {
  create(request: CreateRequest, toCourse: ToCourse): Creation
  findByKey(kind: UpstreamKind, key: string): Creation | undefined
  findByOperation(operation: string): Creation | undefined
  list(): readonly Creation[]
}

type ToCourse = (operation: string) => { readonly ending: Course; readonly pollsBefore: number }

export function createCreations(): Creations {
  const byOperation = new Map<string, Creation>()
  const byKey = new Map<string, Creation>()
  return {
    create({ kind, key, task }, toCourse) {
      const name = `${kind} ${key}`
      const known = kind === "unkeyed" ? undefined : byKey.get(name)
      if (known !== undefined) return known
      const operation = `${kind}-${byOperation.size + 1}-${key}`
      const { ending, pollsBefore: pollsLeft } = toCourse(operation)
      const created = { kind, key, task, operation, ending, pollsLeft, isEndTold: false }
      byOperation.set(operation, created)
      byKey.set(name, created)
      return created
    },
    findByKey: (kind, key) => byKey.get(`${kind} ${key}`),
    findByOperation: (operation) => byOperation.get(operation),
    list: () => [...byOperation.values()],
  }
}

/** The bytes an operation makes: told from its name, so that a digest can be checked anywhere. */
export function toProduct(operation: string): Buffer {
  return Buffer.from(`the picture of ${operation}\n`.repeat(200))
}
