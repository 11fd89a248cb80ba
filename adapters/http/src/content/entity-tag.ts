/**
 * Entity tags and the two ways to compare them (RFC 9110 §8.8.3). Ours are strong; a weak one in a
 * request still matches if the comparison is weak.
 */
const TAG = /^(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/

interface EntityTag {
  readonly opaque: string
  readonly isWeak: boolean
}

/** Whether an `If-Match` value names `etag`: weak tags never do, and `*` always does. */
export function matchesStrongly(header: string, etag: string): boolean {
  return isAny(header) || parseTags(header).some((tag) => !tag.isWeak && tag.opaque === etag)
}

/** Whether an `If-None-Match` value names `etag`. */
export function matchesWeakly(header: string, etag: string): boolean {
  return isAny(header) || parseTags(header).some((tag) => tag.opaque === etag)
}

function isAny(header: string): boolean {
  return header.trim() === "*"
}

/** The tags of a list; none if any part of it is malformed. */
function parseTags(header: string): EntityTag[] {
  const tags: EntityTag[] = []
  let rest = header
  for (;;) {
    rest = rest.replace(/^[ \t,]+/, "")
    if (rest === "") return tags
    const [whole, weak, opaque] = TAG.exec(rest) ?? []
    if (whole === undefined || opaque === undefined) return []
    tags.push({ opaque, isWeak: weak !== undefined })
    rest = rest.slice(whole.length)
    if (!/^[ \t]*(?:,|$)/.test(rest)) return []
  }
}
