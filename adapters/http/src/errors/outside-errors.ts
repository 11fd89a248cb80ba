/**
 * Translates anything thrown to a refusal. A failure of the outside keeps its meaning; everything that was
 * not foreseen is `internal_error`, and its own message is only in the log.
 */
import {
  isFailureCode,
  isSafelightError,
  type FailureCode,
  type SafelightError,
  type SafelightErrorCode,
} from "@safelight/core"
import type { ErrorCode } from "./error-table.ts"
import { Refusal } from "./refusal.ts"

/** Codes of failed tasks (`FailureCode`) never reach a front end as errors. */
const OUTSIDE: Record<Exclude<SafelightErrorCode, FailureCode>, ErrorCode> = {
  "artifact-missing": "storage_unavailable",
  "artifacts-unavailable": "storage_unavailable",
  "storage-unavailable": "service_unavailable",
  "outcome-unknown": "outcome_unknown",
  "schema-too-new": "service_unavailable",
  "already-served": "service_unavailable",
  "already-moved": "service_unavailable",
  "export-refused": "internal_error",
  "channel-unavailable": "service_unavailable",
  "channel-answer-invalid": "service_unavailable",
  "inspector-unavailable": "service_unavailable",
  aborted: "service_unavailable",
  overloaded: "overloaded",
  "version-conflict": "internal_error",
  "already-exists": "internal_error",
  "storage-corrupt": "internal_error",
  "invalid-configuration": "internal_error",
}

/** A pause long enough for a connection pool or a disk to recover. */
const RETRY_AFTER_SECONDS = 5
/** Callers that were shed together must not come back together. */
const OVERLOADED_RETRY_SECONDS = 30

export function toRefusal(error: unknown, random: () => number): Refusal {
  if (error instanceof Refusal) return error
  if (!isSafelightError(error)) return new Refusal("internal_error", { cause: error })
  const code = isFailureCode(error.code) ? "internal_error" : OUTSIDE[error.code]
  const headers = toRetryHeaders(code, error, random)
  return new Refusal(code, { headers, cause: error })
}

function toRetryHeaders(
  code: ErrorCode,
  error: SafelightError,
  random: () => number,
): Record<string, string> {
  if (code === "internal_error" || code === "artifact_expired") return {}
  // A repeated POST could be a second purchase (specification §1).
  if (code === "outcome_unknown") return { "x-should-retry": "false" }
  return { "retry-after": String(toRetrySeconds(code, error, random)) }
}

function toRetrySeconds(code: ErrorCode, error: SafelightError, random: () => number): number {
  if (error.retryAfterMs !== undefined) return Math.max(1, Math.ceil(error.retryAfterMs / 1000))
  if (code !== "overloaded") return RETRY_AFTER_SECONDS
  return 1 + Math.floor(random() * OVERLOADED_RETRY_SECONDS)
}
