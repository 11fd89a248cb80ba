/**
 * The query of `GET /v1/tasks`. A name that is not known or stands twice is refused and not passed
 * over: a filter that silently does nothing shows a client tasks that it did not ask for.
 */
import type { ListRequest, TaskStatus } from "@safelight/core"
import { refuseParameters, type RefusedParameter } from "../errors/refusal.ts"
import { toEcho } from "./creation-request.ts"
import { parseCursor } from "./list-cursor.ts"

export type ListQuery = Omit<ListRequest, "account">

/** A page that a person reads at once; the most is what a hundred GETs would have cost. */
export const LIST_LIMITS = { byDefault: 20, min: 1, max: 100 } as const

/** The last second of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799

const STATUSES: readonly TaskStatus[] = ["queued", "running", "succeeded", "failed"]
const NAMES = ["created_after", "created_before", "status", "model", "limit", "cursor"] as const

type Name = (typeof NAMES)[number]
type Fault = Omit<RefusedParameter, "param">
type Parsed<Value> = { readonly value: Value } | { readonly fault: Fault }

/** Throws a `Refusal` that names everything wrong. Whether the model exists is not asked here. */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const issues = findMisnamed(query)
  function read<Value>(
    param: Name,
    parse: (text: string, param: Name) => Parsed<Value>,
  ): Value | undefined {
    const text = query.get(param)
    if (text === null) return undefined
    const parsed = parse(text, param)
    if ("value" in parsed) return parsed.value
    issues.push({ param, ...parsed.fault })
    return undefined
  }

  const createdAfter = read("created_after", parseMoment)
  const createdBefore = read("created_before", parseMoment)
  const status = read("status", parseStatus)
  const limit = read("limit", parseLimit) ?? LIST_LIMITS.byDefault
  const after = read("cursor", parsePosition)
  const model = query.get("model")
  const [first, ...more] = issues
  if (first !== undefined) throw refuseParameters([first, ...more])
  return {
    limit,
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
    ...(status !== undefined && { status }),
    ...(model !== null && { model }),
    ...(after !== undefined && { after }),
  }
}

/** Each name once, however often it stands. */
function findMisnamed(query: URLSearchParams): RefusedParameter[] {
  const issues: RefusedParameter[] = []
  for (const name of new Set(query.keys())) {
    const isKnown = NAMES.some((known) => known === name)
    if (isKnown && query.getAll(name).length === 1) continue
    const param = toEcho(name)
    const words = isKnown ? "must be given once" : "is not a known parameter"
    issues.push({ param, code: "unknown_parameter", message: `${param} ${words}.` })
  }
  return issues
}

/** Milliseconds, from whole Unix seconds. */
function parseMoment(text: string, param: Name): Parsed<number> {
  const parsed = parseInteger(text, { param, min: 0, max: MAX_UNIX_SECONDS })
  return "value" in parsed ? { value: parsed.value * 1_000 } : parsed
}

function parseLimit(text: string, param: Name): Parsed<number> {
  return parseInteger(text, { param, ...LIST_LIMITS })
}

function parseInteger(
  text: string,
  { param, min, max }: { readonly param: Name; readonly min: number; readonly max: number },
): Parsed<number> {
  if (!/^-?\d+$/.test(text)) return toFault("invalid_type", `${param} must be a whole number.`)
  const value = Number(text)
  if (value < min) return toFault("integer_below_min_value", `${param} must be at least ${min}.`)
  if (value > max) return toFault("integer_above_max_value", `${param} must be at most ${max}.`)
  return { value }
}

function parseStatus(text: string): Parsed<TaskStatus> {
  const value = STATUSES.find((status) => status === text)
  return value === undefined ? toFault("invalid_value", toChoice("status", STATUSES)) : { value }
}

function parsePosition(text: string): Parsed<NonNullable<ListQuery["after"]>> {
  const value = parseCursor(text)
  if (value !== undefined) return { value }
  return toFault("invalid_value", "cursor must be a next_cursor of an earlier answer.")
}

function toFault(code: Fault["code"], message: string): { readonly fault: Fault } {
  return { fault: { code, message } }
}

/** What a parameter may be, in words. */
export function toChoice(param: string, values: readonly string[]): string {
  return `${param} must be one of: ${values.join(", ")}.`
}
