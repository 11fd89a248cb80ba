/**
 * Data URLs of base64 (RFC 2397), taken apart without being decoded or copied: one may hold 20 MiB. Nothing here
 * checks that what is behind the comma is base64.
 */

export interface DataUrl {
  readonly mimeType: string
  /** Where its base64 begins in the URL. */
  readonly start: number
  /** Characters of padding at the end. */
  readonly padding: number
  /** What it decodes to; not whole if its base64 has no whole number of groups. */
  readonly bytes: number
}

const MARK = ";base64,"

export function isDataUrl(url: string): boolean {
  return url.startsWith("data:")
}

/** Undefined for any other URL. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const mark = isDataUrl(url) ? url.indexOf(MARK) : -1
  if (mark < 0) return undefined
  const start = mark + MARK.length
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0
  const bytes = ((url.length - start) / 4) * 3 - padding
  return { mimeType: url.slice("data:".length, mark), start, padding, bytes }
}
