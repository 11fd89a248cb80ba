/**
 * Why a task failed: every code a failed task's `error` may carry, with its type and our default
 * words (http-decisions §3). A provider's own words are never part of it, or of an event.
 */

export type FailureType = "generation_error" | "content_policy_error" | "invalid_request_error"

export interface TaskFailure {
  readonly code: FailureCode
  readonly message: string
  readonly type: FailureType
}

const FAILURES = {
  content_policy_violation: [
    "content_policy_error",
    "The request or its result was refused by the content policy.",
  ],
  safety_checker_required: [
    "content_policy_error",
    "The provider does not allow the safety checker to be disabled.",
  ],
  media_download_failed: [
    "invalid_request_error",
    "A referenced media file could not be downloaded.",
  ],
  media_too_large: ["invalid_request_error", "A referenced media file is too large."],
  media_too_small: ["invalid_request_error", "A referenced media file is too small or too short."],
  unsupported_media_type: [
    "invalid_request_error",
    "A referenced media file has a type that is not supported.",
  ],
  media_unreadable: ["invalid_request_error", "A referenced media file could not be decoded."],
  provider_rejected: ["generation_error", "The provider rejected the request."],
  provider_unavailable: ["generation_error", "No provider could take the task in time."],
  generation_timeout: ["generation_error", "The generation did not finish in time."],
  no_output: ["generation_error", "The provider finished without any output."],
  upstream_outcome_unknown: [
    "generation_error",
    "The outcome of the provider's call could not be determined; it was not charged.",
  ],
  task_cancelled: ["generation_error", "The task was cancelled."],
  internal_error: ["generation_error", "The task failed because of an internal error."],
} as const satisfies Record<string, readonly [FailureType, string]>

export type FailureCode = keyof typeof FAILURES

export const FAILURE_CODES = Object.keys(FAILURES) as readonly FailureCode[]

export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code)
}

/** The `error` of a failed task, keys in canonical order. */
export function toTaskFailure(code: FailureCode, message?: string): TaskFailure {
  const [type, words] = FAILURES[code]
  return { code, message: message ?? words, type }
}
