/**
 * How a job at fal fails. A model's failure shows only when the result is fetched, since its status is COMPLETED
 * like any other. A runner's failure is in the status, as `error_type`.
 */
import type { StubReply } from "../frame/stub-route.ts"

export interface FalFailure {
  readonly status: number
  /** Of `detail`, if a model failed; of `error_type`, if a runner did. */
  readonly type: string
  readonly message: string
  readonly isRunner?: boolean
  /** Some endpoints report a model's failure as a plain string. */
  readonly isText?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** By the name of the fault that causes it. */
export const FAL_FAILURES: Readonly<Record<string, FalFailure>> = {
  "content-policy": {
    status: 422,
    type: "content_policy_violation",
    message: "The content could not be processed because it was flagged by a content checker.",
  },
  "no-media": {
    status: 422,
    type: "no_media_generated",
    message: "The model did not generate the expected output.",
  },
  "input-not-fetched": {
    status: 422,
    type: "file_download_error",
    message: "Failed to download the file from the provided URL.",
  },
  "detail-text": {
    status: 422,
    type: "content_policy_violation",
    message: "Request flagged by the content checker.",
    isText: true,
  },
  "generation-timeout": {
    status: 504,
    type: "generation_timeout",
    message: "The operation timed out.",
  },
  "partner-refused": {
    status: 400,
    type: "downstream_service_error",
    message: "The downstream service returned an error.",
  },
  "partner-down": {
    status: 500,
    type: "downstream_service_unavailable",
    message: "The downstream service is unavailable.",
  },
  "internal-error": {
    status: 500,
    type: "",
    message: "Internal Server Error",
    isText: true,
  },
  "runner-lost": {
    status: 503,
    type: "runner_disconnected",
    message: "The runner disconnected.",
    isRunner: true,
  },
}

export const START_TIMEOUT: FalFailure = {
  status: 504,
  type: "request_timeout",
  message: "The request was not started in time.",
  isRunner: true,
  headers: { "x-fal-request-timeout-type": "user" },
}

export const CANCELLED: FalFailure = {
  status: 499,
  type: "client_cancelled",
  message: "Request was cancelled by the client.",
  isRunner: true,
}

export function toFailureBody(failure: FalFailure): Readonly<Record<string, unknown>> {
  const { type, message } = failure
  if (failure.isRunner === true) return { detail: message, error_type: type }
  if (failure.isText === true) return { detail: message }
  const url = `https://docs.fal.ai/errors#${type}`
  return { detail: [{ loc: ["body", "prompt"], msg: message, type, url }] }
}

export function toFailureReply(failure: FalFailure): StubReply {
  const isRetryable = failure.status >= 500
  const told = failure.isRunner === true ? { "x-fal-error-type": failure.type } : {}
  const headers = { "x-fal-retryable": String(isRetryable), ...told, ...failure.headers }
  return { status: failure.status, headers, json: toFailureBody(failure) }
}
