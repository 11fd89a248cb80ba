/**
 * What the client's errors mean. None of it holds more of an answer than its status, its code and the name of a region:
 * an error of a socket or parser can hold raw bytes, and an error document can hold what we signed.
 */
import { createUnavailable, type Refusal } from "@safelight/artifacts"
import { SafelightError } from "@safelight/core"

export const BUCKET_NAME = "The bucket"

/** Has no cause: an error of a socket or of the client can hold what we signed. */
export function createBucketError(reason: string): SafelightError {
  return createUnavailable(BUCKET_NAME, reason)
}

export function createMisconfigured(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}

/** The part of a client's error that is used. */
interface ClientError {
  readonly name?: unknown
  readonly code?: unknown
  readonly $metadata?: {
    readonly httpStatusCode?: number
    /** The client's clock was wrong, and has been set by the answer. */
    readonly clockSkewCorrected?: boolean
  }
  /** In the document of a request that was signed for another region. */
  readonly Region?: unknown
  /** Names the region in a header where the bucket is in another. */
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> }
}

/** The client's code for credentials that it does not find. */
const NO_CREDENTIALS = "CredentialsProviderError"

/** Throttling, time-outs, overload. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/**
 * The codes of throttling and time-outs that come with other statuses, of a body that was damaged or lost on its
 * way, and of an error that comes late, after a 200.
 */
const PASSING_CODES: ReadonlySet<string> = new Set([
  "BadDigest",
  "BandwidthLimitExceeded",
  "IncompleteBody",
  "InternalError",
  "PriorRequestNotComplete",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "TimeoutError",
  "TooManyRequestsException",
  "XAmzContentSHA256Mismatch",
])

/** Undefined for a bug of ours. */
export function toRefusal(error: unknown): Refusal | undefined {
  const { name, code: socketCode, $metadata } = error as ClientError
  const status = $metadata?.httpStatusCode
  if (error instanceof TypeError && status === undefined) return undefined
  const isSocket = status === undefined && typeof socketCode === "string"
  const code = isSocket ? socketCode : String(name)
  const isPassing = isPassingCode(status, code) || $metadata?.clockSkewCorrected === true
  const words = describe(status, code) + describeRegion(error as ClientError)
  return { status, code, isPassing, words }
}

function isPassingCode(status: number | undefined, code: string): boolean {
  if (PASSING_CODES.has(code)) return true
  if (status !== undefined) return PASSING_STATUSES.has(status)
  // Without a status the connection broke, unless the caller ended the request, or nothing could sign it.
  return code !== "AbortError" && code !== NO_CREDENTIALS
}

/** No other code of an error document is ever repeated. S3 has one code that is not letters alone. */
const CODE_PATTERN = /^(?:[A-Za-z]{1,64}|XAmzContentSHA256Mismatch)$/

function describe(status: number | undefined, code: string): string {
  const isKnown = CODE_PATTERN.test(code)
  if (status !== undefined) {
    // The client's name for a document without a code.
    const words = code === "Unknown" || code === "UnknownError" ? "" : ` ${code}`
    return `was answered ${status}${isKnown ? words : " of no known form"}`
  }
  if (code === NO_CREDENTIALS) {
    return "found no credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a role gives any"
  }
  if (code === "TimeoutError") return "had no answer in time"
  return /^[A-Z][A-Za-z0-9_]{1,64}$/.test(code) ? `failed (${code})` : "failed"
}

const REGION_PATTERN = /^[a-z0-9-]{1,64}$/
/** Permanently, or until the names of a new bucket are known. */
const REDIRECT_STATUSES: ReadonlySet<number | undefined> = new Set([301, 307])

function describeRegion({ $metadata, $response, Region }: ClientError): string {
  const isRedirect = REDIRECT_STATUSES.has($metadata?.httpStatusCode)
  const region = isRedirect ? $response?.headers?.["x-amz-bucket-region"] : Region
  if (typeof region !== "string" || !REGION_PATTERN.test(region)) return ""
  return `: the bucket is in ${region}: set the region, and any endpoint, to it`
}
