/**
 * Turns a decision into status, headers and the bytes to send, before anything is opened. A refusal keeps
 * the error body; a 304 has neither body nor length.
 */
import type { Refusal, Refuse } from "../errors/refusal.ts"
import type { Segment } from "./byte-source.ts"
import type { ContentDecision } from "./conditions.ts"
import {
  toContentHeaders,
  toContentType,
  toValidatorHeaders,
  type ContentHeaderOptions,
} from "./content-headers.ts"
import { createBoundary, toContentRange, toMultipart } from "./multipart.ts"
import type { ByteRange } from "./ranges.ts"

export type AnswerPlan =
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "not-modified"; readonly headers: Record<string, string> }
  | {
      readonly kind: "bytes"
      readonly status: 200 | 206
      /** Without the Content-Length: that is the sum of the segments. */
      readonly headers: Record<string, string>
      readonly segments: readonly Segment[]
    }

export function planAnswer(
  decision: ContentDecision,
  options: ContentHeaderOptions,
  refuse: Refuse<"precondition_failed" | "range_not_satisfiable">,
): AnswerPlan {
  const { bytes } = options.artifact
  switch (decision.kind) {
    case "precondition-failed":
      return { kind: "refused", refusal: refuse("precondition_failed") }
    case "unsatisfiable": {
      const headers = { "content-range": `bytes */${bytes}`, "accept-ranges": "bytes" }
      return { kind: "refused", refusal: refuse("range_not_satisfiable", { headers }) }
    }
    case "not-modified":
      return { kind: "not-modified", headers: toValidatorHeaders(options) }
    case "whole": {
      const segments = bytes === 0 ? [] : [{ start: 0, end: bytes - 1 }]
      return { kind: "bytes", status: 200, headers: toContentHeaders(options), segments }
    }
    case "partial":
      return planPartial(decision.ranges, options)
  }
}

/** One range is the plain 206, several are a multipart one (RFC 9110 §15.3.7). */
function planPartial(ranges: readonly ByteRange[], options: ContentHeaderOptions): AnswerPlan {
  const { bytes } = options.artifact
  const headers = toContentHeaders(options)
  const [only, second] = ranges
  if (only !== undefined && second === undefined) {
    headers["content-range"] = toContentRange(only, bytes)
    return { kind: "bytes", status: 206, headers, segments: ranges }
  }
  const boundary = createBoundary()
  headers["content-type"] = `multipart/byteranges; boundary=${boundary}`
  const contentType = toContentType(options.artifact)
  const segments = toMultipart({ ranges, contentType, totalBytes: bytes, boundary })
  return { kind: "bytes", status: 206, headers, segments }
}
