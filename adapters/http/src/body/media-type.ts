/** The content type and coding of a body: JSON in UTF-8, not compressed (http-decisions §2, both 415 rows). */
import { refuse } from "./creation-refusals.ts"

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^;\s"]*))/gi

/** Throws a `Refusal` for another type, another charset, or any content coding. */
export function checkMediaType(contentType: string | null, contentEncoding: string | null): void {
  if (contentType !== "application/json" && !isUtf8Json(contentType ?? "")) {
    throw refuse("unsupported_media_type", { headers: { accept: "application/json" } })
  }
  if (contentEncoding !== null && contentEncoding.toLowerCase() !== "identity") {
    throw refuse("unsupported_content_encoding", {
      headers: { "accept-encoding": "identity" },
    })
  }
}

function isUtf8Json(contentType: string): boolean {
  if (!JSON_TYPE.test(contentType)) return false
  const charsets = Array.from(contentType.matchAll(CHARSET), ([, quoted, bare]) => quoted ?? bare)
  return charsets.every((charset) => charset?.toLowerCase() === "utf-8")
}
