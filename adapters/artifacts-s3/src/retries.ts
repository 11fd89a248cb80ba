/**
 * How often the client tries a request, and when. The client classifies a failure and asks here whether to try
 * again. Its own strategy has a budget that all requests share, with which most of 64 puts would give up at the
 * first outage, and it waits by a clock that no test can control.
 */
import type { S3ClientConfig } from "@aws-sdk/client-s3"
import { isSafelightError } from "@safelight/core"
import type { S3Settings } from "./s3-options.ts"
import { describeRefusal, toRefusal } from "./storage-failure.ts"

/** The client's own interface, whose name it does not export. */
type RetryStrategy = Extract<
  NonNullable<S3ClientConfig["retryStrategy"]>,
  { readonly recordSuccess: unknown }
>
type RetryToken = Awaited<ReturnType<RetryStrategy["acquireInitialRetryToken"]>>

/** Codes of a body that was damaged or lost on its way, and of a late error, which the client takes for permanent. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  "BadDigest",
  "IncompleteBody",
  "InternalError",
  "ServiceUnavailable",
  "XAmzContentSHA256Mismatch",
])

export function createRetries(settings: S3Settings, pause: Pause): RetryStrategy {
  const { log, tries } = settings
  return {
    acquireInitialRetryToken: () => Promise.resolve(toToken(0)),
    async refreshRetryTokenForRetry(token, { error, errorType }) {
      const attempt = token.getRetryCount() + 1
      const refusal = toRefusal(error)
      // Without a status the connection broke, unless the caller ended the request or the error is ours.
      const isBroken =
        refusal.status === undefined && refusal.code !== "AbortError" && !isSafelightError(error)
      const isPassing =
        isBroken ||
        errorType === "THROTTLING" ||
        errorType === "TRANSIENT" ||
        refusal.status === 408 ||
        TRANSIENT_CODES.has(refusal.code)
      if (isPassing) {
        log.warn({ attempt, reason: describeRefusal(refusal) }, "bucket request failed")
      }
      // The client drops this error, and throws the one that the request failed with.
      if (!isPassing || attempt >= tries) throw new Error("no further try")
      await pause(attempt)
      return toToken(attempt)
    },
    recordSuccess() {},
  }
}

function toToken(count: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => 0, getRetryCost: () => 0 } as RetryToken
}

/** The wait before try number `attempt` + 1. */
export type Pause = (attempt: number, signal?: AbortSignal) => Promise<void>

/** About as long as a request takes: a shorter pause would only add to the load. */
const FIRST_PAUSE_MS = 200
/** Long enough for a bucket that scales up; the sum stays far below a task's time. */
const LONGEST_PAUSE_MS = 5_000

/** A random part of a time that doubles, so that requests that failed together are not repeated together. */
export function createPause({ clock, random }: Pick<S3Settings, "clock" | "random">): Pause {
  return (attempt, signal) => {
    const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
    return clock.wait(Math.ceil(random() * longestMs), signal)
  }
}
