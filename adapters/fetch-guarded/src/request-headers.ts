/**
 * The headers that a request's maker adds. Names are lower-cased, so that one of them takes the place of
 * ours and is not sent twice.
 */
import type { MediaRequest } from "@safelight/core"

/**
 * What the download itself depends on. A `Host` above all: the HTTP client connects to it, and checks
 * the certificate against it.
 */
const RESERVED = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "if-range",
  "range",
])

/** Throws a `RangeError`, naming the header. */
export function toRequestHeaders(headers: MediaRequest["headers"] = {}): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name] of lower) {
    if (RESERVED.has(name)) throw new RangeError(`headers must not hold ${name}`)
  }
  return Object.fromEntries(lower)
}
