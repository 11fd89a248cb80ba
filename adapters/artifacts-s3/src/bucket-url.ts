/**
 * The address of a bucket: in the path of its server's, or before its host. What `new URL` throws
 * repeats its input, and an endpoint may hold a password; nothing of either leaves this file.
 */
import { createMisconfigured } from "./storage-failure.ts"

export interface BucketUrlRequest {
  readonly bucket: string
  readonly region: string
  readonly endpoint?: string
  readonly isPathStyle?: boolean
}

/** What signing, proxies and servers leave as it is. */
const PATH_PATTERN = /^\/[A-Za-z0-9_./-]*$/

/** What errors call that of which they speak. */
export interface BucketUrlNames {
  readonly endpoint: string
  readonly isPathStyle: string
}

/** Without a slash at the end. Throws `invalid-configuration`. */
export function toBucketUrl(request: BucketUrlRequest, names: BucketUrlNames): string {
  const { bucket, region, endpoint } = request
  // A certificate for `*.amazonaws.com` covers one name before the dot.
  const { isPathStyle = endpoint !== undefined || bucket.includes(".") } = request
  const url = parseEndpoint(endpoint ?? toAmazonEndpoint(region), names.endpoint)
  if (!isPathStyle) {
    const host = `${bucket}.${url.hostname}`
    url.hostname = host
    if (url.hostname !== host) {
      throw createMisconfigured(
        `${names.isPathStyle} must be true where ${names.endpoint} is an IP address`,
      )
    }
  }
  const path = url.pathname.replace(/\/$/, "")
  return `${url.origin}${path}${isPathStyle ? `/${bucket}` : ""}`
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
