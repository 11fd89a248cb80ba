/**
 * Numbers for statements: a statement's text crosses to a writing thread once, and later it goes by its number.
 * The numbers outlive the threads that learn them.
 */
import type { Statement } from "@safelight/store"
import type { StatementDefinition } from "./protocol.ts"

export interface Numbering {
  readonly toNumber: (statement: Statement) => number
  /** The definitions that the present thread does not know yet. */
  readonly takeNew: () => readonly StatementDefinition[]
  /** Another thread knows none. */
  readonly restart: () => void
}

export function createNumbering(): Numbering {
  const numbers = new Map<string, number>()
  const definitions: StatementDefinition[] = []
  let knownCount = 0
  return {
    toNumber({ sql, parameters }) {
      const known = numbers.get(sql)
      if (known !== undefined) return known
      numbers.set(sql, definitions.length)
      return definitions.push({ sql, parameterCount: parameters.length }) - 1
    },
    takeNew() {
      const unknown = definitions.slice(knownCount)
      knownCount = definitions.length
      return unknown
    },
    restart() {
      knownCount = 0
    },
  }
}
