/**
 * The query of `GET /v1/tasks`. A cursor is a place, and nothing is known of the page that it came
 * from: the other parameters may differ.
 */
import type { ListRequest, TaskStatus } from "@safelight/core"
import { parseCursor } from "./list-cursor.ts"
import {
  createQueryReader,
  parseInteger,
  parseMoment,
  toFault,
  type Parsed,
} from "./query-parameters.ts"

export type ListQuery = Omit<ListRequest, "account">

/** A page that a person reads at once; the most is what a hundred GETs would have cost. */
export const LIST_LIMITS = { byDefault: 20, min: 1, max: 100 } as const

const STATUSES: readonly TaskStatus[] = ["queued", "running", "succeeded", "failed"]
const NAMES = ["created_after", "created_before", "status", "model", "limit", "cursor"] as const

type Name = (typeof NAMES)[number]

/** Throws a `Refusal` that names everything wrong. Whether the model exists is not asked here. */
export function parseListQuery(url: string): ListQuery {
  const query = createQueryReader(url, NAMES)
  const createdAfter = query.read("created_after", parseMoment)
  const createdBefore = query.read("created_before", parseMoment)
  const status = query.read("status", parseStatus)
  const limit = query.read("limit", parseLimit) ?? LIST_LIMITS.byDefault
  const after = query.read("cursor", parsePosition)
  const model = query.read("model", (value) => ({ value }))
  query.check()
  return {
    limit,
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
    ...(status !== undefined && { status }),
    ...(model !== undefined && { model }),
    ...(after !== undefined && { after }),
  }
}

function parseLimit(text: string, param: Name): Parsed<number> {
  return parseInteger(text, { param, ...LIST_LIMITS })
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

/** What a parameter may be, in words. */
export function toChoice(param: string, values: readonly string[]): string {
  return `${param} must be one of: ${values.join(", ")}.`
}
