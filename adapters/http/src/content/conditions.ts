/**
 * Decides the answer to a content request from its conditional headers alone (RFC 9110 §13.2.2). Ask only
 * if the answer would otherwise be a 200: an expired artifact is never a 304.
 */
import { matchesStrongly, matchesWeakly } from "./entity-tag.ts"
import { parseHttpDate } from "./http-date.ts"
import { evaluateRange, type ByteRange } from "./ranges.ts"

export interface Representation {
  /** Strong, with its quotes. */
  readonly etag: string
  /** Milliseconds; only its second counts. */
  readonly lastModifiedAt: number
  readonly bytes: number
}

/** Header values, null if absent. */
export interface Conditions {
  readonly method: "GET" | "HEAD"
  readonly ifMatch: string | null
  readonly ifUnmodifiedSince: string | null
  readonly ifNoneMatch: string | null
  readonly ifModifiedSince: string | null
  readonly ifRange: string | null
  readonly range: string | null
}

export type ContentDecision =
  | { readonly kind: "whole" }
  | { readonly kind: "partial"; readonly ranges: readonly ByteRange[] }
  | { readonly kind: "not-modified" }
  | { readonly kind: "precondition-failed" }
  | { readonly kind: "unsatisfiable" }

/** `now` is used for two-digit years alone. */
export function decideContent(
  conditions: Conditions,
  representation: Representation,
  now: number,
): ContentDecision {
  if (isPreconditionFalse(conditions, representation, now)) return { kind: "precondition-failed" }
  if (isNotModified(conditions, representation, now)) return { kind: "not-modified" }
  return decideRange(conditions, representation, now)
}

function isPreconditionFalse(
  { ifMatch, ifUnmodifiedSince }: Conditions,
  representation: Representation,
  now: number,
): boolean {
  if (ifMatch !== null) return !matchesStrongly(ifMatch, representation.etag)
  if (ifUnmodifiedSince === null) return false
  const since = parseHttpDate(ifUnmodifiedSince, now)
  return since !== undefined && toSecond(representation.lastModifiedAt) > since
}

function isNotModified(
  { ifNoneMatch, ifModifiedSince }: Conditions,
  representation: Representation,
  now: number,
): boolean {
  if (ifNoneMatch !== null) return matchesWeakly(ifNoneMatch, representation.etag)
  if (ifModifiedSince === null) return false
  const since = parseHttpDate(ifModifiedSince, now)
  return since !== undefined && toSecond(representation.lastModifiedAt) <= since
}

function decideRange(
  { method, range, ifRange }: Conditions,
  representation: Representation,
  now: number,
): ContentDecision {
  if (method !== "GET" || range === null) return { kind: "whole" }
  if (ifRange !== null && !isSameRepresentation(ifRange, representation, now)) {
    return { kind: "whole" }
  }
  const result = evaluateRange(range, representation.bytes)
  if (result.kind === "ignored") return { kind: "whole" }
  if (result.kind === "unsatisfiable") return { kind: "unsatisfiable" }
  return { kind: "partial", ranges: result.ranges }
}

/** Byte for byte the tag, or exactly the date (RFC 9110 §13.1.5). */
function isSameRepresentation(
  ifRange: string,
  { etag, lastModifiedAt }: Representation,
  now: number,
): boolean {
  return ifRange === etag || parseHttpDate(ifRange, now) === toSecond(lastModifiedAt)
}

/** HTTP's dates know whole seconds only. */
function toSecond(at: number): number {
  return at - (at % 1000)
}
