/**
 * Reading a provider's answers, for declarations: members of the type that they must have, and outcomes that
 * several providers express alike.
 */
import type {
  Busy,
  CancelOutcome,
  Completed,
  FailureCode,
  Json,
  NotCreated,
  ProviderCost,
  Refused,
} from "@safelight/core"
import { isObject, type ProviderRequest, type Reply, type Send } from "./provider-request.ts"

export type Path = readonly (string | number)[]

/** The member at `path`; undefined if there is none. */
export function at(value: Json | undefined, ...path: Path): Json | undefined {
  let found: Json | undefined = value
  for (const key of path) {
    found = memberOf(found, key)
  }
  return found
}

/** Null has no members, like a text. */
function memberOf(value: Json | undefined, key: string | number): Json | undefined {
  if (isObject(value)) return value[key]
  return isList(value) ? value[Number(key)] : undefined
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** The member at `path`; undefined if it is no text. */
export function textAt(value: Json | undefined, ...path: Path): string | undefined {
  const found = at(value, ...path)
  return typeof found === "string" ? found : undefined
}

/** The member at `path`; undefined if it is no number. */
export function numberAt(value: Json | undefined, ...path: Path): number | undefined {
  const found = at(value, ...path)
  return typeof found === "number" ? found : undefined
}

/** The percentage at `path`, if it is one of work that goes on: 1 to 99. */
export function progressAt(value: Json | undefined, ...path: Path): { progress?: number } {
  const progress = numberAt(value, ...path) ?? 0
  return progress >= 1 && progress <= 99 ? { progress } : {}
}

/** The items of the list at `path`; none if it is no list. */
export function listAt(value: Json | undefined, ...path: Path): readonly Json[] {
  const found = at(value, ...path)
  return isList(found) ? found : []
}

/** Deeper than any answer holds its files. */
const FILE_LEVELS = 6

/**
 * The URLs of the files, in order: each is a text, the `url` of a file, or somewhere in a list or an
 * object of them. Any other text, for example a caption, is left out.
 */
export function findUrls(value: Json | undefined, levels = FILE_LEVELS): readonly string[] {
  if (typeof value === "string") return /^(?:https?:|data:)/.test(value) ? [value] : []
  if (typeof value !== "object" || value === null || levels === 0) return []
  const url = at(value, "url")
  const items: readonly Json[] = url === undefined ? Object.values(value) : [url]
  return items.flatMap((item) => findUrls(item, levels - 1))
}

/** A refusal with the provider's own words, which are kept apart from ours and can be erased. */
export function toRefused(code: FailureCode, words: string | undefined): Refused {
  return { kind: "refused", code, ...(words !== undefined && { providerWords: words }) }
}

/** A refusal of the request's content, or of anything else in it. */
export function toRejected(isContent: boolean, words: string | undefined): Refused {
  return toRefused(isContent ? "content_policy_violation" : "provider_rejected", words)
}

/**
 * The outcome of a create that was turned away before the provider looked at the work: the caller is not
 * known, has no money, lacks a right or calls too often. Nothing was created. Undefined for other statuses.
 */
export function readTurnedAway({ retryAfterMs, status }: Reply): NotCreated | Busy | undefined {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 429) return { kind: "busy", reason: "provider_busy", ...wait }
  if (!TURNED_AWAY.has(status)) return undefined
  return { kind: "not-created", reason: `provider_answered_${status}`, ...wait }
}

/** The caller is not known, has not paid, has no right, or asks for what its account has not. */
const TURNED_AWAY: ReadonlySet<number> = new Set([401, 402, 403, 404])

export function isTurnedAway({ status }: Pick<Reply, "status">): boolean {
  return TURNED_AWAY.has(status)
}

/**
 * The cost that a provider reports: a number, or the text of one, which headers hold. `perUnit` of it make one
 * unit. The engine checks that it is an amount, and logs it if it is not.
 */
export function toCost(
  value: Json | undefined,
  unit: string,
  perUnit = 1,
): ProviderCost | undefined {
  const amount = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof amount === "number" ? { amount: amount / perUnit, unit } : undefined
}

/**
 * The handle of fal's queue, which other providers hand out too. Its URLs are kept unchanged, since they
 * can't be built from the id. Undefined if the answer holds no handle.
 */
export function readQueueHandle(json: Json | undefined): Json | undefined {
  const [id, state, result] = ["request_id", "status_url", "response_url"].map((name) =>
    textAt(json, name),
  )
  if (id === undefined || state === undefined || result === undefined) return undefined
  return { id, state, result, cancel: textAt(json, "cancel_url") ?? null }
}

/** Sends the request to the address that the handle has for it; `read` says what the answer means. */
export async function cancelHandle(
  operation: Json,
  send: Send,
  method: ProviderRequest["method"],
  read: (reply: Reply) => CancelOutcome,
): Promise<CancelOutcome> {
  const path = textAt(operation, "cancel")
  return path === undefined ? "unknown" : read(await send({ method, path }))
}

/**
 * For a queue that answers 400 if the work has ended, and 202 once it has noted the request: the work may be
 * completed all the same.
 */
export function readCancelRequested({ status }: Reply): CancelOutcome {
  return status === 400 ? "too-late" : "unknown"
}

/** Work whose files are at these URLs. */
export function toCompleted(urls: readonly string[]): Completed {
  return { kind: "completed", outputs: urls.map((url) => ({ url })) }
}
