/** Reads the headers of an artifact's content (RFC 9110 §14.4, RFC 9530 §3). */

export interface ArtifactHeaders {
  readonly mimeType: string
  /** Undefined unless strong: a weak one does not promise the same bytes. */
  readonly etag: string | undefined
  /** SHA-256 of the whole artifact in base64. */
  readonly digest: string | undefined
  /** The length of this answer's body; undefined if a proxy compressed it or left it out. */
  readonly bodyBytes: number | undefined
  readonly range: ContentRange | undefined
}

export interface ContentRange {
  readonly start: number
  /** Inclusive. */
  readonly end: number
  readonly totalBytes: number
}

export function readArtifactHeaders(headers: Headers): ArtifactHeaders {
  const coding = headers.get("content-encoding") ?? "identity"
  const length = coding === "identity" ? headers.get("content-length") : null
  const etag = headers.get("etag") ?? ""
  return {
    mimeType: headers.get("content-type") ?? "application/octet-stream",
    etag: /^"[^"]*"$/.test(etag) ? etag : undefined,
    digest: /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers.get("repr-digest") ?? "")?.[1],
    bodyBytes: /^\d{1,15}$/.test(length ?? "") ? Number(length) : undefined,
    range: toRange(headers.get("content-range") ?? ""),
  }
}

function toRange(text: string): ContentRange | undefined {
  const [, start, end, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(text) ?? []
  if (start === undefined || end === undefined || total === undefined) return undefined
  return { start: Number(start), end: Number(end), totalBytes: Number(total) }
}
