/**
 * Addresses of input media: http(s) URLs, or data URLs of a matching type, checked without being
 * fetched or decoded (http-decisions §4). Whether an address may be connected to is decided at the
 * moment of connecting, by `fetch-guarded`.
 */
import * as v from "valibot"
import { isDataUrl, parseDataUrl } from "./data-url.ts"

export type MediaKind = "image" | "video" | "audio"

/** What a data URL may carry, by kind. */
export const DATA_URL_TYPES: Readonly<Record<MediaKind, readonly string[]>> = {
  image: ["image/png", "image/jpeg", "image/webp"],
  video: ["video/mp4", "video/webm", "video/quicktime"],
  audio: ["audio/mpeg", "audio/mp4", "audio/wav", "audio/ogg", "audio/webm", "audio/aac"],
}

export const MEDIA_URL_LIMITS = {
  /** A longer URL is refused by common proxies and servers anyway. */
  urlCharacters: 8_192,
  /** One decoded data URL. */
  dataUrlBytes: 20 * 1024 * 1024,
} as const

interface Fault {
  readonly type:
    | "invalid_url"
    | "url_not_allowed"
    | "url_too_long"
    | "invalid_data_url"
    | "data_url_too_large"
  readonly requirement?: number
}

/** A string that addresses media of `kind`. */
export function mediaUrl(kind: MediaKind): v.GenericSchema<string> {
  const check: v.BaseValidation<string, string, v.BaseIssue<string>> = {
    kind: "validation",
    type: "media_url",
    reference: mediaUrl as never,
    async: false,
    expects: null,
    "~run"(dataset, config) {
      const fault = dataset.typed ? findFault(kind, dataset.value) : undefined
      if (fault !== undefined) v._addIssue({ ...this, ...fault }, "media URL", dataset, config)
      return dataset
    },
  }
  return v.pipe(v.string(), check)
}

/** scheme://host:port with no user info, and nothing that a URL may not hold as it stands. */
const HTTP_URL =
  /^https?:\/\/(?:\[[\da-f:.]+\]|[^\s/?#@\\:[\]]+)(?::(?<port>\d*))?(?:[/?#][^\s\\]*)?$/i
const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function findFault(kind: MediaKind, url: string): Fault | undefined {
  if (isDataUrl(url)) return findDataFault(kind, url)
  if (isLongerThan(MEDIA_URL_LIMITS.urlCharacters, url)) {
    return { type: "url_too_long", requirement: MEDIA_URL_LIMITS.urlCharacters }
  }
  const match = HTTP_URL.exec(url)
  if (match !== null) {
    const isPort = Number(match.groups?.["port"] ?? 0) <= 65_535
    return isPort && url.isWellFormed() ? undefined : { type: "invalid_url" }
  }
  const hasUser = /^https?:\/\/[^\s/?#]*@/i.test(url)
  const isOtherScheme = SCHEME.test(url) && !/^https?:/i.test(url)
  return { type: hasUser || isOtherScheme ? "url_not_allowed" : "invalid_url" }
}

/** In code points; a text of more than twice as many code units needs no counting. */
function isLongerThan(characters: number, text: string): boolean {
  if (text.length <= characters) return false
  return text.length > 2 * characters || Array.from(text).length > characters
}

function findDataFault(kind: MediaKind, url: string): Fault | undefined {
  const parsed = parseDataUrl(url)
  if (parsed === undefined || !DATA_URL_TYPES[kind].includes(parsed.mimeType)) {
    return { type: "invalid_data_url" }
  }
  const { bytes, padding, start } = parsed
  if (bytes > MEDIA_URL_LIMITS.dataUrlBytes) {
    return { type: "data_url_too_large", requirement: MEDIA_URL_LIMITS.dataUrlBytes }
  }
  const length = url.length - start
  const isCanonical = length > 0 && length % 4 === 0 && endsCanonically(url, padding)
  return isCanonical && BASE64.test(url.slice(start)) ? undefined : { type: "invalid_data_url" }
}

/** The bits that padding leaves unused in the last digit must be zero (RFC 4648 §3.5). */
function endsCanonically(url: string, padding: number): boolean {
  const last = url.at(-1 - padding) ?? ""
  if (padding === 2) return "AQgw".includes(last)
  return padding === 1 ? "AEIMQUYcgkosw048".includes(last) : true
}
