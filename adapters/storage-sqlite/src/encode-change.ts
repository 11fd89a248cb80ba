/**
 * Steps as the flat change that crosses to the writing thread. A statement's values are bound here,
 * so one that lacks a value fails at its caller and never reaches the thread.
 */
import { bind, type SqlValue, type SqlValues, type Statement } from "@safelight/store"
import { PLAIN, type EncodedChange } from "./protocol.ts"

export interface Step {
  readonly statement: Statement
  readonly values: SqlValues
}

export interface Encoder {
  /** Every step runs, whatever the others give. */
  readonly plain: (steps: readonly Step[]) => EncodedChange
  /** The first of `steps` must change a row; none runs where one of `checks` returns a row. */
  readonly guarded: (steps: readonly Step[], checks?: readonly Step[]) => EncodedChange
}

export function createEncoder(toNumber: (statement: Statement) => number): Encoder {
  function encode(kind: number, steps: readonly Step[]): EncodedChange {
    const change: SqlValue[] = [kind]
    for (const { statement, values } of steps) {
      change.push(toNumber(statement), ...bind(statement, values))
    }
    return change
  }
  return {
    plain: (steps) => encode(PLAIN, steps),
    guarded: (steps, checks = []) => encode(checks.length, [...checks, ...steps]),
  }
}
