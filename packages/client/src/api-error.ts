/**
 * The one error of this package: what the service refused, what a task failed with, or what kept an
 * answer from coming whole. Decide by `code`; messages are for people and may change. What the caller
 * calls off rejects with the reason of its signal instead, and a wrong option is a `TypeError`.
 */
import type { RefusalCode, RefusalType, Task, TaskFailure } from "./api/answers.ts"

/** What the client itself finds. */
export type ClientErrorCode =
  /** No connection, or silence until the answer's head. */
  | "no_answer"
  /** The answer's body broke off or stood still. */
  | "incomplete_answer"
  /** A whole answer that the task API does not promise: a redirect, a page of a proxy, a wrong range. */
  | "invalid_answer"
  /** A status that says no, without the task API's error body: a proxy's own. */
  | "unexpected_status"
  /** The bytes of an artifact are not those that its digest names. */
  | "digest_mismatch"
  /** A webhook was not signed with any of the secrets, or not lately. */
  | "invalid_webhook"
  /** There is no file system here. */
  | "no_file_system"

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
  /** To be quoted when asking for help. */
  readonly requestId: string | undefined
  /** How long the service wants to be left alone. */
  readonly retryAfterMs: number | undefined
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly isRetryable: boolean
  /** Of the submission that failed: with the same key it never becomes a second task. */
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

/** Recognises errors of another copy of this package too, where `instanceof` does not. */
export function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && MARK in error
}

/** An error that the client itself found. */
export function clientError(
  code: ClientErrorCode,
  message: string,
  more: Omit<ApiErrorFields, "code" | "type" | "message"> = {},
): ApiError {
  return new ApiError({ ...more, code, type: "client_error", message })
}
