/**
 * The only error class of this package. It stands for a refusal of the service, a failed task, or an answer
 * that did not arrive whole. Decide by `code`: messages are for people and may change. An aborted call
 * rejects with its signal's reason instead, and a wrong option is a `TypeError`.
 */
import type { RefusalCode, RefusalType, Task, TaskFailure } from "../api/answers.ts"

/** Codes of the client itself. */
export type ClientErrorCode =
  /** The connection failed, or the service stayed silent. */
  | "no_answer"
  /** The body of an answer broke off or stalled. */
  | "incomplete_answer"
  /** The answer is not one of the task API: a redirect, a proxy's page, a wrong range. */
  | "invalid_answer"
  /** The status is an error and the body is not the task API's: a proxy answered. */
  | "unexpected_status"
  /** The bytes of an artifact don't match its digest, or it has none. */
  | "digest_mismatch"
  /** A webhook has no signature by a known secret, or is too old. */
  | "invalid_webhook"
  /** This runtime has no file system. */
  | "no_file_system"
  /** This runtime, or this page, can't verify signatures by Ed25519. */
  | "no_ed25519"

/** A later service may have more codes. */
export type ApiErrorCode = RefusalCode | TaskFailure["code"] | ClientErrorCode | (string & {})

export type ApiErrorType = RefusalType | TaskFailure["type"] | "client_error" | (string & {})

export interface ParameterFault {
  /** As `parameters.colors[1].g`. */
  readonly param: string
  readonly code: RefusalCode | (string & {})
  readonly message: string
}

export interface ApiErrorFields {
  readonly code: ApiErrorCode
  readonly type: ApiErrorType
  readonly message: string
  readonly status?: number | undefined
  readonly param?: string | undefined
  readonly details?: readonly ParameterFault[] | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly isRetryable?: boolean | undefined
  readonly idempotencyKey?: string | undefined
  readonly task?: Task | undefined
  readonly cause?: unknown
}

const MARK = Symbol.for("@safelight/client/api-error")

export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly code: ApiErrorCode
  readonly type: ApiErrorType
  /** Of the answer; undefined if there was none. */
  readonly status: number | undefined
  /** The parameter at fault, if it is exactly one. */
  readonly param: string | undefined
  /** The parameters at fault, if they are several. */
  readonly details: readonly ParameterFault[]
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined
  /** `Retry-After` of the answer. */
  readonly retryAfterMs: number | undefined
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly isRetryable: boolean
  /** Of a submission that failed. The same submission with the same key never makes a second task. */
  readonly idempotencyKey: string | undefined
  /** The task that failed. */
  readonly task: Task | undefined

  constructor(fields: ApiErrorFields) {
    super(fields.message, fields.cause === undefined ? {} : { cause: fields.cause })
    this.code = fields.code
    this.type = fields.type
    this.status = fields.status
    this.param = fields.param
    this.details = fields.details ?? []
    this.requestId = fields.requestId
    this.retryAfterMs = fields.retryAfterMs
    this.isRetryable = fields.isRetryable ?? false
    this.idempotencyKey = fields.idempotencyKey
    this.task = fields.task
    Object.defineProperty(this, MARK, { value: true })
  }
}

/** Recognises errors of another copy of this package too, which `instanceof` does not. */
export function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && MARK in error
}

/** An error with one of the client's own codes. */
export function clientError(
  code: ClientErrorCode,
  message: string,
  more: Omit<ApiErrorFields, "code" | "type" | "message"> = {},
): ApiError {
  return new ApiError({ ...more, code, type: "client_error", message })
}
