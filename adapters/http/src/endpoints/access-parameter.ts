/**
 * The `access` parameter of an address, and the CORS headers for an address that has one: a link works
 * from every origin, since it opens nothing but its artifact, and never with credentials.
 */
import { toQuery } from "../request/query-parameters.ts"

const NAME = "access"

/** Other than the safelisted ones; a simple `Range` is among those only in some browsers. */
const REQUEST_HEADERS =
  "Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since"

const CROSS_ORIGIN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Content-Range, Content-Length, Accept-Ranges, ETag, Repr-Digest",
}

const PREFLIGHT_HEADERS = {
  ...CROSS_ORIGIN_HEADERS,
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": REQUEST_HEADERS,
  // Two hours: the most that Chromium keeps it for.
  "access-control-max-age": "7200",
}

/** Every value of `access`; undefined if there is none, and only then a key decides. */
export function readAccess({ url }: Pick<Request, "url">): readonly string[] | undefined {
  // An address without a query, as most are, is not taken apart.
  if (!url.includes("?")) return undefined
  const values = toQuery(url).getAll(NAME)
  return values.length === 0 ? undefined : values
}

/** The headers of every answer to a request with `access`, whatever its status. */
export function toCrossOriginHeaders(
  request: Pick<Request, "method" | "url">,
): Readonly<Record<string, string>> {
  if (readAccess(request) === undefined) return {}
  return request.method === "OPTIONS" ? PREFLIGHT_HEADERS : CROSS_ORIGIN_HEADERS
}
