/**
 * An http(s) URL that may be asked for media, whether a caller sent it or a redirect points there.
 * This judges the text alone; where its host leads is judged by the connector, at the moment of
 * connecting.
 */
import { MEDIA_URL_LIMITS } from "@safelight/core"
import { downloadFailed } from "./media-fault.ts"

/** Throws `media_download_failed`. */
export function parseDownloadAddress(text: string, base?: URL): URL {
  if (text.length > MEDIA_URL_LIMITS.urlCharacters) throw downloadFailed("its URL is too long")
  const url = URL.parse(text, base)
  if (url === null) throw downloadFailed("its URL cannot be read")
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw downloadFailed("its URL is neither http nor https")
  }
  if (url.username !== "" || url.password !== "") {
    throw downloadFailed("its URL holds credentials")
  }
  if (!isAllowedPort(url.port)) throw downloadFailed("its port is not allowed")
  return url
}

/**
 * Where a redirect leads. From https it never leads back to http, where anyone on the way could read
 * and exchange what the caller asked to have protected.
 */
export function parseRedirect(location: string | readonly string[] | undefined, from: URL): URL {
  if (typeof location !== "string") throw downloadFailed("it redirects to no one place")
  // The header arrives as latin1; servers that do not escape send UTF-8, as browsers read it.
  const target = parseDownloadAddress(Buffer.from(location, "latin1").toString(), from)
  if (from.protocol === "https:" && target.protocol === "http:") {
    throw downloadFailed("it redirects from https to http")
  }
  return target
}

/**
 * Ports from 1024 that speak other protocols, so that nobody is made to send mail or chat through
 * us: https://fetch.spec.whatwg.org/#port-blocking.
 */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
])

/** Below 1024 only HTTP's own two. The parser leaves a scheme's default port empty. */
function isAllowedPort(text: string): boolean {
  if (text === "") return true
  const port = Number(text)
  return port === 80 || port === 443 || (port >= 1024 && !BLOCKED_PORTS.has(port))
}
