/**
 * The coding of an answer that a caller takes (RFC 9110 §12.5.3). Who sends no `Accept-Encoding` gets the bytes as they
 * are, although the RFC allows any coding then: programs that say nothing seldom decode.
 */

/** The better first: it is taken if a caller weighs both alike. */
export const CONTENT_CODINGS = ["br", "gzip"] as const

export type ContentCoding = (typeof CONTENT_CODINGS)[number]

/** Compresses a whole file. */
export type Compress = (bytes: Uint8Array, coding: ContentCoding) => Promise<Uint8Array>

/** A member of the list; a weight that is malformed makes the member count for nothing. */
const MEMBER = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** Undefined: none of them. */
export function chooseCoding(header: string | null): ContentCoding | undefined {
  if (header === null) return undefined
  const weights = new Map<string, number>()
  for (const member of header.toLowerCase().split(",")) {
    const [, coding, weight = "1"] = MEMBER.exec(member.trim()) ?? []
    if (coding !== undefined) weights.set(coding, Number(weight))
  }
  const weigh = (coding: ContentCoding): number => weights.get(coding) ?? weights.get("*") ?? 0
  const identity = weights.get("identity") ?? 0
  const [best] = CONTENT_CODINGS.toSorted((one, other) => weigh(other) - weigh(one))
  return best !== undefined && weigh(best) > 0 && weigh(best) >= identity ? best : undefined
}
