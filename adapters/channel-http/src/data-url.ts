/**
 * Media that came within a request, for providers that take bytes and fetch nothing. It was checked
 * when the request was taken: base64 of a type that is allowed.
 */

export interface InlineMedia {
  readonly mimeType: string
  readonly base64: string
}

/** Undefined for what lies elsewhere. */
export function parseDataUrl(url: string): InlineMedia | undefined {
  const [, mimeType, base64] = /^data:([^;,]+);base64,(.*)$/.exec(url) ?? []
  return mimeType === undefined || base64 === undefined ? undefined : { mimeType, base64 }
}

export function isDataUrl(url: string): boolean {
  return url.startsWith("data:")
}
