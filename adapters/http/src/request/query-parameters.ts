/**
 * The declared parameters of a query, and their reader. A name that is not declared, or is given twice
 * where it may be given once, is refused and not ignored: the answer would be to another question than the caller asked.
 */
import { toEcho } from "@safelight/core"
import type { ErrorCode } from "../errors/error-table.ts"
import { refuseParameters, toRefuse, type RefusedParameter } from "../errors/refusal.ts"

const INTEGER_REFUSALS = [
  "invalid_type",
  "integer_above_max_value",
  "integer_below_min_value",
] as const
const VALUE_REFUSALS = ["invalid_value"] as const
/** Of any query that is read. */
const QUERY_REFUSALS = ["unknown_parameter"] as const
const ABSENCE_REFUSALS = ["missing_required_parameter"] as const

type ParameterCode =
  | (typeof INTEGER_REFUSALS)[number]
  | (typeof VALUE_REFUSALS)[number]
  | (typeof QUERY_REFUSALS)[number]
  | (typeof ABSENCE_REFUSALS)[number]

const refuse = toRefuse<ParameterCode>([
  ...QUERY_REFUSALS,
  ...ABSENCE_REFUSALS,
  ...INTEGER_REFUSALS,
  ...VALUE_REFUSALS,
])

export type Parsed<Value> =
  | { readonly value: Value }
  | { readonly fault: { readonly code: ParameterCode; readonly message: string } }

export interface QueryParameter<Value, Absent> {
  readonly description: string
  readonly schema: object
  readonly refusals: readonly ParameterCode[]
  /** Its value from the text; `name` is for the message of a fault. */
  readonly parse: (text: string, name: string) => Parsed<Value>
  /** Of a parameter that may be given several times: its value from all of them. */
  readonly parseList?: (texts: readonly string[], name: string) => Parsed<Value>
  /** Its value if it is absent. */
  readonly absent: Absent
  /** It is refused if it is absent. */
  readonly isRequired?: true
}

/** Its value is always there: a request without it is refused. */
export interface RequiredParameter<Value> extends QueryParameter<Value, undefined> {
  readonly isRequired: true
}

function demandParameter<Value>(
  parameter: QueryParameter<Value, undefined>,
): RequiredParameter<Value> {
  const refusals = [...parameter.refusals, ...ABSENCE_REFUSALS]
  return { ...parameter, refusals, isRequired: true }
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown, unknown>>>

/**
 * The query of a request's address. The rest of the address is not parsed: a Host that is no host would
 * make that fail, with an error that holds the whole address and what is secret in it.
 */
export function toQuery(url: string): URLSearchParams {
  const [address = ""] = url.split("#", 1)
  const start = address.indexOf("?")
  return new URLSearchParams(start === -1 ? "" : address.slice(start + 1))
}

/** Every code that a query with these is refused with. */
export function listQueryRefusals(parameters: QueryParameters): readonly ErrorCode[] {
  const own = Object.values(parameters).flatMap(({ refusals }) => refusals)
  return [...new Set([...QUERY_REFUSALS, ...own])]
}

/** By name; throws a `Refusal` that names everything that is wrong. */
export function readQuery(url: string, parameters: QueryParameters): Record<string, unknown> {
  const query = toQuery(url)
  const issues = findMisnamed(query, parameters)
  const values: Record<string, unknown> = {}
  for (const [param, declared] of Object.entries(parameters)) {
    const parsed = parseAll(query.getAll(param), param, declared)
    if ("value" in parsed) values[param] = parsed.value
    else issues.push({ param, ...parsed.fault })
  }
  if (issues.length > 0) throw refuseParameters(refuse, issues)
  return values
}

function parseAll(
  texts: readonly string[],
  name: string,
  { absent, isRequired, parse, parseList }: QueryParameters[string],
): Parsed<unknown> {
  const [first] = texts
  if (first === undefined && isRequired === true) {
    return toFault("missing_required_parameter", `${name} is missing.`)
  }
  if (first === undefined) return { value: absent }
  return parseList === undefined ? parse(first, name) : parseList(texts, name)
}

/** Each name once, however often it is given. */
function findMisnamed(
  query: URLSearchParams,
  parameters: QueryParameters,
): RefusedParameter<ParameterCode>[] {
  const issues: RefusedParameter<ParameterCode>[] = []
  for (const name of new Set(query.keys())) {
    const isKnown = Object.hasOwn(parameters, name)
    const isList = isKnown && parameters[name]?.parseList !== undefined
    if (isList || (isKnown && query.getAll(name).length === 1)) continue
    const param = toEcho(name)
    const words = isKnown ? "must be given once" : "is not a known parameter"
    issues.push({ param, code: "unknown_parameter", message: `${param} ${words}.` })
  }
  return issues
}

interface Bounds {
  readonly min: number
  readonly max: number
}

/** A whole number from `min` to `max`; `byDefault` if it is absent. */
export function integer(
  description: string,
  { min, max, byDefault }: Bounds & { readonly byDefault: number },
): QueryParameter<number, number> {
  return {
    description,
    schema: { type: "integer", minimum: min, maximum: max, default: byDefault },
    refusals: INTEGER_REFUSALS,
    parse: (text, name) => parseInteger(text, name, { min, max }),
    absent: byDefault,
  }
}

/** The last second of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799

/** Whole Unix seconds, read as milliseconds. */
export function moment(description: string): QueryParameter<number, undefined> {
  return {
    description,
    schema: { type: "integer", minimum: 0 },
    refusals: INTEGER_REFUSALS,
    parse(text, name) {
      const parsed = parseInteger(text, name, { min: 0, max: MAX_UNIX_SECONDS })
      return "value" in parsed ? { value: parsed.value * 1_000 } : parsed
    },
    absent: undefined,
  }
}

/** The same, refused if it is absent. */
export function requiredMoment(description: string): RequiredParameter<number> {
  return demandParameter(moment(description))
}

function parseInteger(text: string, name: string, { min, max }: Bounds): Parsed<number> {
  if (!/^-?\d+$/.test(text)) return toFault("invalid_type", `${name} must be a whole number.`)
  const value = Number(text)
  if (value < min) return toFault("integer_below_min_value", `${name} must be at least ${min}.`)
  if (value > max) return toFault("integer_above_max_value", `${name} must be at most ${max}.`)
  return { value }
}

/** One of `values`. */
export function choice<const Value extends string>(
  description: string,
  values: readonly Value[],
): QueryParameter<Value, undefined> {
  return {
    description,
    schema: { enum: values },
    refusals: VALUE_REFUSALS,
    parse(text, name) {
      const value = values.find((each) => each === text)
      return value === undefined ? toFault("invalid_value", toChoice(name, values)) : { value }
    },
    absent: undefined,
  }
}

/** The same, refused if it is absent. */
export function requiredChoice<const Value extends string>(
  description: string,
  values: readonly Value[],
): RequiredParameter<Value> {
  return demandParameter(choice(description, values))
}

/** The message that lists the values of a parameter. */
export function toChoice(name: string, values: readonly string[]): string {
  return `${name} must be one of: ${values.join(", ")}.`
}

/** Any text. */
export function anyText(description: string): QueryParameter<string, undefined> {
  return {
    description,
    schema: { type: "string" },
    refusals: [],
    parse: (value) => ({ value }),
    absent: undefined,
  }
}

/** A text that this service made: `read` understands it, or it is refused with `words`. */
export function token<Value extends object>(
  description: string,
  { read, words }: { readonly read: (text: string) => Value | undefined; readonly words: string },
): QueryParameter<Value, undefined> {
  return {
    description,
    schema: { type: "string" },
    refusals: VALUE_REFUSALS,
    parse(sent) {
      const value = read(sent)
      return value === undefined ? toFault("invalid_value", words) : { value }
    },
    absent: undefined,
  }
}

function toFault(code: ParameterCode, message: string): Parsed<never> {
  return { fault: { code, message } }
}
