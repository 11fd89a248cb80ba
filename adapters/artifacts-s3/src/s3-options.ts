/**
 * The options of the adapter, checked once. A wrong one is named in the error; its value is never repeated,
 * since a secret may have been put into the wrong option.
 */
import {
  createSystemClock,
  isHeaderSecret,
  LONGEST_TIMER_MS,
  SILENT_LOG,
  takeIntegers,
  type Clock,
  type Log,
} from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import {
  toBucketAddress,
  type BucketAddress,
  type LocationNames,
  type S3Location,
} from "./s3-location.ts"
import { createMisconfigured } from "./refusals.ts"

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** When they expire, if they do: the provider is called again 5 minutes earlier. */
  readonly expiration?: Date
}

/** Called at the first request, and again before the credentials expire. */
export type S3CredentialsProvider = () => Promise<S3Credentials>

/** The clock is used only to wait between tries. */
export type S3Clock = Pick<Clock, "wait">

export interface S3ArtifactsOptions extends S3Location {
  /**
   * By default the official client looks for them where Amazon's tools do: in the environment, in
   * its files, at the role of the machine or container.
   */
  readonly credentials?: S3Credentials | S3CredentialsProvider
  /** 5 MiB to 1 GiB. A body up to this is one request; a running put holds at most two parts. */
  readonly partBytes?: number
  /** How often a request is made in all while the bucket throttles or can't be reached. */
  readonly tries?: number
  /** How long a request may go without a byte in either direction. */
  readonly idleTimeoutMs?: number
  /** How old an unfinished upload has to be before a sweep removes it. */
  readonly staleAfterMs?: number
  /** Gets a warning for every try that failed; silent by default. */
  readonly log?: Log
  readonly clock?: S3Clock
  /** From 0 to below 1: spreads the waits between tries. */
  readonly random?: () => number
}

export interface S3Settings extends BucketAddress {
  readonly credentials: S3Credentials | S3CredentialsProvider | undefined
  readonly partBytes: number
  readonly tries: number
  readonly idleTimeoutMs: number
  readonly staleAfterMs: number
  readonly log: Log
  readonly clock: S3Clock
  readonly random: () => number
}

const MIB = 1024 * 1024
/** S3 requires 5 MiB in every part but the last; 10,000 parts of the largest size exceed the largest object. */
const BOUNDS = {
  partBytes: [5 * MIB, 1024 * MIB],
  tries: [1, 100],
  idleTimeoutMs: [1, LONGEST_TIMER_MS],
  staleAfterMs: [0, Number.MAX_SAFE_INTEGER],
} as const

/** The names of the factory's options. */
const OPTION_NAMES: LocationNames = {
  bucket: "bucket",
  endpoint: "endpoint",
  region: "region",
  prefix: "prefix",
  isPathStyle: "isPathStyle",
}

/** Throws `invalid-configuration`. */
export function toSettings(options: S3ArtifactsOptions): S3Settings {
  const address = toBucketAddress(options, OPTION_NAMES)
  const { credentials } = options
  if (credentials !== undefined) assertCredentials(credentials)
  return {
    ...address,
    credentials,
    ...takeIntegers({ options, bounds: BOUNDS, defaults: DEFAULTS }),
    log: options.log ?? SILENT_LOG,
    clock: options.clock ?? createSystemClock(globalThis),
    random: options.random ?? Math.random,
  }
}

/** Checks fixed credentials; those of a provider are for the bucket to judge. */
function assertCredentials(credentials: S3Credentials | S3CredentialsProvider): void {
  if (typeof credentials === "function") return
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  for (const [field, value] of Object.entries({ accessKeyId, secretAccessKey, sessionToken })) {
    if (field === "sessionToken" && value === undefined) continue
    if (typeof value !== "string" || !isHeaderSecret(value)) {
      throw createMisconfigured(
        `credentials.${field} must be visible ASCII without spaces or line breaks`,
      )
    }
  }
}
