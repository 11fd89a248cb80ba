/**
 * The server of a bucket, and whether the bucket stands in a URL's path or before its host. What
 * `new URL` throws repeats its input, and an endpoint may hold a password; nothing of either leaves
 * this file.
 */
import type { LocationNames, S3Location } from "./s3-location.ts"
import { createMisconfigured } from "./storage-failure.ts"

export interface Endpoint {
  readonly endpoint: string
  readonly isPathStyle: boolean
}

/** What signing, proxies and servers leave as it is. */
const PATH_PATTERN = /^\/[A-Za-z0-9_./-]*$/

/**
 * Always an address, also of Amazon's: without one the client would look for it in the environment.
 * Throws `invalid-configuration`.
 */
export function toEndpoint(location: S3Location, region: string, names: LocationNames): Endpoint {
  const { bucket, endpoint } = location
  // A certificate for `*.amazonaws.com` covers one name before the dot.
  const { isPathStyle = endpoint !== undefined || bucket.includes(".") } = location
  const url = parseEndpoint(endpoint ?? toAmazonEndpoint(region), names.endpoint)
  if (!isPathStyle && !canHostBucket(url, bucket)) {
    const message = `${names.isPathStyle} must be true where ${names.endpoint} is an IP address`
    throw createMisconfigured(message)
  }
  return { endpoint: `${url.origin}${url.pathname.replace(/\/$/, "")}`, isPathStyle }
}

function canHostBucket(url: URL, bucket: string): boolean {
  const host = `${bucket}.${url.hostname}`
  return URL.parse(`${url.protocol}//${host}`)?.hostname === host
}

function toAmazonEndpoint(region: string): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
  return `https://s3.${region}.${domain}`
}

function parseEndpoint(endpoint: string, name: string): URL {
  const url = URL.parse(endpoint)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw createMisconfigured(`${name} must be an http: or https: URL`)
  }
  if (url.username !== "" || url.password !== "") {
    throw createMisconfigured(`${name} must hold no user name or password`)
  }
  if (url.search !== "" || url.hash !== "" || !PATH_PATTERN.test(url.pathname)) {
    throw createMisconfigured(`${name} must be an origin, perhaps with a path`)
  }
  return url
}
