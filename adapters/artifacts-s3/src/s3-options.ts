/**
 * The options of the adapter, and what they come to. Each is checked here, once, and named in the
 * error where it is wrong; no value of any is ever repeated, since a secret may have landed in the
 * wrong one.
 */
import type { Clock, Log } from "@safelight/core"
import { SILENT_LOG } from "@safelight/core"
import { toBucketUrl } from "./bucket-url.ts"
import { DEFAULTS } from "./defaults.ts"
import { createMisconfigured } from "./storage-failure.ts"
import { systemClock } from "./system-clock.ts"

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Where the bucket is. Holds nothing secret. */
export interface S3Location {
  readonly bucket: string
  /** Of the server, `http:` or `https:`, perhaps with a path; Amazon's by default. */
  readonly endpoint?: string
  /** Needed where no endpoint is given; `us-east-1` otherwise. */
  readonly region?: string
  /** Before every key: names of letters, digits, `_`, `-` and `.`, joined by `/`. */
  readonly prefix?: string
  /** The bucket in the path of a URL, not in its host; by default so with an endpoint. */
  readonly isPathStyle?: boolean
}

/** What a clock does here: dates signatures, and waits between tries. */
export type S3Clock = Pick<Clock, "now" | "wait">

export interface S3ArtifactsOptions extends S3Location {
  readonly credentials: S3Credentials
  /** 5 MiB to 1 GiB. A body up to this is one request; a running put holds at most two parts. */
  readonly partBytes?: number
  /** How often a request is made in all while the bucket throttles or can't be reached. */
  readonly tries?: number
  /** How long a request may go without a byte in either direction. */
  readonly idleTimeoutMs?: number
  /** How old an unfinished upload is before a sweep takes it for left over. */
  readonly staleAfterMs?: number
  /** Told of every try that failed. */
  readonly log?: Log
  readonly clock?: S3Clock
  /** From 0 to below 1: spreads the waits between tries. */
  readonly random?: () => number
}

export interface S3Settings {
  /** With the bucket, without a slash at the end. */
  readonly bucketUrl: string
  readonly region: string
  readonly credentials: S3Credentials
  /** Empty, or with a slash at the end. */
  readonly prefix: string
  readonly partBytes: number
  readonly tries: number
  readonly idleTimeoutMs: number
  readonly staleAfterMs: number
  readonly log: Log
  readonly clock: S3Clock
  readonly random: () => number
}

const MIB = 1024 * 1024
/** What S3 asks of every part but the last. */
const LEAST_PART_BYTES = 5 * MIB
/** More is more memory and nothing else: 10,000 of these are more than S3 stores in one object. */
const MOST_PART_BYTES = 1024 * MIB
/** The longest wait of a Node timer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/** Leaves room for two names and a random one in a key's 1,024 bytes. */
const MOST_PREFIX_BYTES = 400

const BUCKET_PATTERN = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION_PATTERN = /^[a-z0-9-]{1,64}$/
const PREFIX_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*\/?$/
/** What may stand in a header. */
const CREDENTIAL_PATTERN = /^[\x21-\x7e]{1,4096}$/

/** Throws `invalid-configuration`. */
export function toSettings(options: S3ArtifactsOptions): S3Settings {
  const { prefix = "", region = DEFAULTS.region } = options
  assertLocation(options)
  assertCredentials(options.credentials)
  const settings = {
    bucketUrl: toBucketUrl({ ...options, region }),
    region,
    credentials: { ...options.credentials },
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    partBytes: options.partBytes ?? DEFAULTS.partBytes,
    tries: options.tries ?? DEFAULTS.tries,
    idleTimeoutMs: options.idleTimeoutMs ?? DEFAULTS.idleTimeoutMs,
    staleAfterMs: options.staleAfterMs ?? DEFAULTS.staleAfterMs,
    log: options.log ?? SILENT_LOG,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
  assertInteger("partBytes", settings.partBytes, LEAST_PART_BYTES, MOST_PART_BYTES)
  assertInteger("tries", settings.tries, 1, 100)
  assertInteger("idleTimeoutMs", settings.idleTimeoutMs, 1, LONGEST_TIMEOUT_MS)
  assertInteger("staleAfterMs", settings.staleAfterMs, 0, Number.MAX_SAFE_INTEGER)
  return settings
}

function assertLocation(location: S3Location): void {
  const { bucket, endpoint, region, prefix = "" } = location
  if (!isMatch(bucket, BUCKET_PATTERN) || bucket.includes("..")) {
    throw createMisconfigured("bucket must be the name of an S3 bucket")
  }
  if (region === undefined && endpoint === undefined) {
    throw createMisconfigured("region must be given where endpoint is not")
  }
  if (region !== undefined && !isMatch(region, REGION_PATTERN)) {
    throw createMisconfigured("region must be the name of a region")
  }
  const isPrefix = prefix === "" || isMatch(prefix, PREFIX_PATTERN)
  if (!isPrefix || prefix.length > MOST_PREFIX_BYTES) {
    throw createMisconfigured(
      `prefix must be names of letters, digits, "_", "-" and ".", joined by "/", no name starting with ".", of at most ${MOST_PREFIX_BYTES} bytes`,
    )
  }
}

function assertCredentials(credentials: S3Credentials): void {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  for (const [field, value] of Object.entries({ accessKeyId, secretAccessKey, sessionToken })) {
    if (field === "sessionToken" && value === undefined) continue
    if (!isMatch(value, CREDENTIAL_PATTERN)) {
      throw createMisconfigured(`credentials.${field} must be visible ASCII without spaces`)
    }
  }
}

function assertInteger(field: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return
  throw createMisconfigured(`${field} must be an integer from ${least} to ${most}`)
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value)
}
