/**
 * Where a bucket is. Each part is checked here, once. An error names the wrong part by the name that the caller
 * passes in: an operator who wrote a URL does not know our options. Errors never repeat a value, since an
 * endpoint may hold a password, and a secret may have been put into the wrong option.
 */
import { DEFAULTS } from "./defaults.ts"
import { createMisconfigured } from "./refusals.ts"

/** Where the bucket is. Holds nothing secret. */
export interface S3Location {
  readonly bucket: string
  /** Of the server, `http:` or `https:`, perhaps with a path; Amazon's by default. */
  readonly endpoint?: string
  /** Required without an endpoint; `us-east-1` by default with one. */
  readonly region?: string
  /** Before every key: names of letters, digits, `_`, `-` and `.`, joined by `/`. */
  readonly prefix?: string
  /** The bucket in the path of a URL, not in its host; by default so with an endpoint. */
  readonly isPathStyle?: boolean
}

/** The names of the parts in errors. */
export type LocationNames = Readonly<Record<keyof S3Location, string>>

interface Endpoint {
  readonly endpoint: string
  readonly isPathStyle: boolean
}

export interface BucketAddress extends Endpoint {
  readonly bucket: string
  readonly region: string
  /** Empty, or with a slash at the end. */
  readonly prefix: string
}

/** Leaves room for two names and a random one in a key's 1,024 bytes. */
const MOST_PREFIX_BYTES = 400

const BUCKET_PATTERN = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION_PATTERN = /^[a-z0-9-]{1,64}$/
const PREFIX_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*\/?$/

/** Throws `invalid-configuration`. */
export function toBucketAddress(location: S3Location, names: LocationNames): BucketAddress {
  const { bucket, endpoint, region = DEFAULTS.region } = location
  if (!isMatch(bucket, BUCKET_PATTERN) || bucket.includes("..")) {
    throw createMisconfigured(`${names.bucket} must be the name of an S3 bucket`)
  }
  if (location.region === undefined && endpoint === undefined) {
    throw createMisconfigured(`${names.region} must be given where ${names.endpoint} is not`)
  }
  if (!isMatch(region, REGION_PATTERN)) {
    throw createMisconfigured(`${names.region} must be the name of a region`)
  }
  const prefix = toPrefix(location.prefix ?? "", names.prefix)
  return { bucket, ...toEndpoint(location, region, names), region, prefix }
}

function toPrefix(prefix: string, name: string): string {
  if (prefix === "") return ""
  if (!isMatch(prefix, PREFIX_PATTERN) || prefix.length > MOST_PREFIX_BYTES) {
    throw createMisconfigured(
      `${name} must be names of letters, digits, "_", "-" and ".", joined by "/", no name starting with ".", of at most ${MOST_PREFIX_BYTES} bytes`,
    )
  }
  return prefix.endsWith("/") ? prefix : `${prefix}/`
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value)
}

/** Characters that signing, proxies and servers leave as they are. */
const PATH_PATTERN = /^\/[A-Za-z0-9_./-]*$/

/**
 * The address of the server, of Amazon's too: without one the client would look for it in the environment.
 * Throws `invalid-configuration`.
 */
function toEndpoint(location: S3Location, region: string, names: LocationNames): Endpoint {
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
