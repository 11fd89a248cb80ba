/**
 * A schema of any library, by Standard Schema and Standard JSON Schema (standardschema.dev, version 1): the members
 * that are used here. It is asked with what was checked before, and what it says in words is never repeated, since
 * libraries put the value that they refuse into them.
 */
import type * as v from "valibot"
import { SafelightError } from "../errors/safelight-error.ts"
import type { JsonObject } from "../values/canonical-json.ts"
import type { ParameterCheck } from "./model.ts"
import { toParameterIssue, type ParameterIssue } from "./parameter-issue.ts"

export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Answer<Output> | Promise<Answer<Output>>
    readonly types?: { readonly output: Output } | undefined
    readonly jsonSchema?: {
      /** Of what is sent, before defaults and transforms. Throws if it can't be described. */
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>
    }
  }
}

type Answer<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Of more, nobody reads the last. */
const MOST_ISSUES = 100

/** Valibot's own schemas are asked as they are, since their issues say more. */
export function isForeign(schema: unknown): schema is StandardSchema<unknown> {
  const { kind, "~standard": standard } = Object(schema) as Partial<
    StandardSchema<unknown> & { readonly kind: unknown }
  >
  return kind !== "schema" && typeof standard?.validate === "function"
}

/** The JSON Schema of what may be sent, as plain JSON, without its dialect. Throws `invalid-configuration`, naming the model. */
export function describeForeign(schema: StandardSchema<unknown>, id: string): JsonObject {
  const { jsonSchema, vendor } = schema["~standard"]
  if (typeof jsonSchema?.input !== "function") {
    throw invalid(
      `model ${id}: parameters is a schema of ${vendor} that gives no JSON Schema: it needs ~standard.jsonSchema, as zod and arktype have it`,
    )
  }
  try {
    const told = JSON.stringify(jsonSchema.input({ target: "draft-2020-12" }))
    const { $schema: _dialect, ...described } = JSON.parse(told) as JsonObject
    return described
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw invalid(`model ${id}: parameters can't be described as JSON Schema: ${why}`, cause)
  }
}

function invalid(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message, cause })
}

/**
 * What the schema makes of the parameters: defaults and transforms applied, members in canonical order. Throws a
 * TypeError if the schema is at fault: it answers later, throws, or makes no object.
 */
export function askForeign(
  schema: StandardSchema<unknown>,
  parameters: unknown,
  id: string,
): ParameterCheck {
  const answer = ask(schema, parameters, id)
  if (answer.issues !== undefined) {
    const issues = answer.issues.length === 0 ? [{}] : answer.issues.slice(0, MOST_ISSUES)
    return { kind: "invalid", issues: issues.map(toIssue) }
  }
  const made = inOrder(answer.value)
  if (isPlain(made)) return { kind: "valid", parameters: made }
  throw new TypeError(`model ${id}: its schema makes something else than an object of parameters`)
}

function ask(schema: StandardSchema<unknown>, parameters: unknown, id: string): Answer<unknown> {
  let answer: Answer<unknown> | Promise<Answer<unknown>>
  try {
    answer = schema["~standard"].validate(parameters)
  } catch (error) {
    throw withoutWords(`model ${id}: its schema throws`, error)
  }
  if (!isPromise(answer)) return answer
  // A rejection that nobody sees would end the process, and it may repeat what was checked.
  void Promise.resolve(answer).catch(() => undefined)
  throw new TypeError(
    `model ${id}: its schema answers with a promise: a part of it is asynchronous, or throws`,
  )
}

function isPromise(answer: unknown): answer is Promise<unknown> {
  return typeof (Object(answer) as { readonly then?: unknown }).then === "function"
}

/** Where it was thrown, without its message, which may repeat what was checked. */
function withoutWords(message: string, error: unknown): TypeError {
  const fault = new TypeError(message)
  if (!(error instanceof Error)) return fault
  const { message: words, stack = "" } = error
  const at = stack.indexOf(words)
  if (at >= 0) fault.stack = `${fault.name}: ${message}${stack.slice(at + words.length)}`
  return fault
}

const UNFIT = {
  kind: "validation",
  type: "standard_schema",
  input: null,
  expected: "what the model's schema takes",
  received: "",
  message: "",
} as const

function toIssue({ path = [] }: StandardIssue): ParameterIssue {
  const keys = path.map((item) => ({ key: typeof item === "object" ? item.key : item }))
  const issue = { ...UNFIT, path: keys } as unknown as v.BaseIssue<unknown>
  return toParameterIssue("parameters", issue)
}

/** Copied where it is an object or a list of JSON, so that nothing sorts it again. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isPlain(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, inOrder(member)]))
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
