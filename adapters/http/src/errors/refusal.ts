/**
 * A request that will not be served, thrown to the one place that answers it. It carries a code
 * of the error table and never an outside fault: those are `SafelightError`s, which
 * `toRefusal` translates.
 */
import type { ParameterIssue } from "@safelight/core"
import type { ErrorCode } from "./error-table.ts"

export interface RefusalOptions {
  /** Words in place of the table's; nothing secret, at most 100 characters of input. */
  readonly message?: string
  /** What is wrong with the parameters: one becomes `param`, several become `details`. */
  readonly issues?: readonly RefusedParameter[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

export interface RefusedParameter extends Omit<ParameterIssue, "code"> {
  readonly code: ErrorCode
}

export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: ErrorCode
  readonly words: string | undefined
  readonly issues: readonly RefusedParameter[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(options.message ?? code, { cause: options.cause })
    this.code = code
    this.words = options.message
    this.issues = options.issues ?? []
    this.headers = options.headers ?? {}
  }
}

/** Refuses with the first issue's code; http-decisions §2 says how many more are told. */
export function refuseParameters(
  issues: readonly [RefusedParameter, ...RefusedParameter[]],
): Refusal {
  return new Refusal(issues[0].code, { message: issues[0].message, issues })
}
