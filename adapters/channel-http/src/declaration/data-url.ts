/**
 * Media inside a request, for providers that take bytes and fetch nothing. The request was checked when it
 * was accepted: the media are base64 and of an allowed type.
 */

export interface InlineMedia {
  readonly mimeType: string
  readonly base64: string
}

/** Undefined if the URL is no data URL. */
export function parseDataUrl(url: string): InlineMedia | undefined {
  const [, mimeType, base64] = /^data:([^;,]+);base64,(.*)$/.exec(url) ?? []
  return mimeType === undefined || base64 === undefined ? undefined : { mimeType, base64 }
}

export function isDataUrl(url: string): boolean {
  return url.startsWith("data:")
}
