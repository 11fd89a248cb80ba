/**
 * Says that a request will not be served, and is thrown to the one place that answers it. It has a code of
 * the error table. Failures of the outside are `SafelightError`s, which `toRefusal` translates.
 */
import type { ParameterIssue } from "@safelight/core"
import type { ErrorCode } from "./error-table.ts"

export interface RefusalOptions<Code extends ErrorCode = ErrorCode> {
  /** Instead of the table's message; nothing secret, at most 100 characters of input. */
  readonly message?: string
  /** What is wrong with the parameters: one becomes `param`, several become `details`. */
  readonly issues?: readonly RefusedParameter<Code>[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

export interface RefusedParameter<Code extends ErrorCode = ErrorCode> extends Omit<
  ParameterIssue,
  "code"
> {
  readonly code: Code
}

/** Makes a refusal, to be thrown. A function for more codes may be used for fewer. */
export type Refuse<Code extends ErrorCode> = (code: Code, options?: RefusalOptions<Code>) => Refusal

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

/**
 * Refuses with one of `codes` alone. A part that several endpoints use exports its codes, so that they
 * are declared together with it.
 */
export function toRefuse<const Code extends ErrorCode>(_codes: readonly Code[]): Refuse<Code> {
  return refuse
}

/** Of any code: for answers that are no endpoint's, and for what hands endpoints their tools. */
export function refuse(code: ErrorCode, options?: RefusalOptions): Refusal {
  return new Refusal(code, options)
}

/** Refuses with the first issue's code; http-decisions §2 says how many more are told. */
export function refuseParameters<Code extends ErrorCode>(
  refuseBy: Refuse<Code>,
  issues: readonly RefusedParameter<Code>[],
): Refusal {
  const [first] = issues
  if (first === undefined) throw new Error("parameters are refused for nothing")
  return refuseBy(first.code, { message: first.message, issues })
}
