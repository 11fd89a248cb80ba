/**
 * The query of an address whose parameters count. A name that is not known or stands twice is
 * refused and not passed over: a parameter that silently does nothing answers another question
 * than was asked.
 */
import { refuseParameters, type RefusedParameter } from "../errors/refusal.ts"
import { toQuery } from "../query.ts"
import { toEcho } from "./creation-request.ts"

export type Fault = Omit<RefusedParameter, "param">
export type Parsed<Value> = { readonly value: Value } | { readonly fault: Fault }

/** The last second of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799

export interface QueryReader<Name extends string> {
  /** The parameter's value; undefined where it is absent, or was found wrong. */
  read<Value>(param: Name, parse: (text: string, param: Name) => Parsed<Value>): Value | undefined
  /** Throws a `Refusal` that names everything that was found wrong. */
  check(): void
}

/** Every other name than `names` is wrong. */
export function createQueryReader<Name extends string>(
  url: string,
  names: readonly Name[],
): QueryReader<Name> {
  const query = toQuery(url)
  const issues = findMisnamed(query, names)
  return {
    read(param, parse) {
      const text = query.get(param)
      if (text === null) return undefined
      const parsed = parse(text, param)
      if ("value" in parsed) return parsed.value
      issues.push({ param, ...parsed.fault })
      return undefined
    },
    check() {
      const [first, ...more] = issues
      if (first !== undefined) throw refuseParameters([first, ...more])
    },
  }
}

/** Each name once, however often it stands. */
function findMisnamed(query: URLSearchParams, names: readonly string[]): RefusedParameter[] {
  const issues: RefusedParameter[] = []
  for (const name of new Set(query.keys())) {
    const isKnown = names.includes(name)
    if (isKnown && query.getAll(name).length === 1) continue
    const param = toEcho(name)
    const words = isKnown ? "must be given once" : "is not a known parameter"
    issues.push({ param, code: "unknown_parameter", message: `${param} ${words}.` })
  }
  return issues
}

/** A whole number from `min` to `max`. */
export function parseInteger(
  text: string,
  { param, min, max }: { readonly param: string; readonly min: number; readonly max: number },
): Parsed<number> {
  if (!/^-?\d+$/.test(text)) return toFault("invalid_type", `${param} must be a whole number.`)
  const value = Number(text)
  if (value < min) return toFault("integer_below_min_value", `${param} must be at least ${min}.`)
  if (value > max) return toFault("integer_above_max_value", `${param} must be at most ${max}.`)
  return { value }
}

/** Milliseconds, from whole Unix seconds. */
export function parseMoment(text: string, param: string): Parsed<number> {
  const parsed = parseInteger(text, { param, min: 0, max: MAX_UNIX_SECONDS })
  return "value" in parsed ? { value: parsed.value * 1_000 } : parsed
}

export function toFault(code: Fault["code"], message: string): { readonly fault: Fault } {
  return { fault: { code, message } }
}
