/**
 * The one table from an error's code to its status, type and default words (http-decisions §2).
 * A code that is not here can't be answered: `ErrorCode` is made from it, and so is the type of
 * everything that refuses.
 */
import type { ParameterIssueCode } from "@safelight/core"

export type ErrorType =
  | "api_error"
  | "artifact_expired"
  | "authentication_error"
  | "billing_error"
  | "conflict_error"
  | "idempotency_error"
  | "invalid_request_error"
  | "not_found_error"
  | "overloaded_error"
  | "permission_error"
  | "rate_limit_error"

type Row = readonly [status: number, type: ErrorType, message: string]

const PARAMETER_ERRORS = {
  missing_required_parameter: [400, "invalid_request_error", "A required parameter is missing."],
  unknown_parameter: [400, "invalid_request_error", "A parameter is not known."],
  invalid_type: [400, "invalid_request_error", "A parameter has the wrong type."],
  invalid_value: [400, "invalid_request_error", "A parameter has a value that is not allowed."],
  invalid_url: [400, "invalid_request_error", "A URL is not valid."],
  url_not_allowed: [400, "invalid_request_error", "A URL is not allowed."],
  invalid_data_url: [400, "invalid_request_error", "A data URL is not valid."],
  string_above_max_length: [400, "invalid_request_error", "A string is too long."],
  string_below_min_length: [400, "invalid_request_error", "A string is too short."],
  array_above_max_length: [400, "invalid_request_error", "An array has too many items."],
  array_below_min_length: [400, "invalid_request_error", "An array has too few items."],
  integer_above_max_value: [400, "invalid_request_error", "An integer is too large."],
  integer_below_min_value: [400, "invalid_request_error", "An integer is too small."],
} as const satisfies Record<ParameterIssueCode, Row>

export const ERRORS = {
  ...PARAMETER_ERRORS,
  route_not_found: [404, "not_found_error", "There is nothing at this path."],
  method_not_allowed: [405, "invalid_request_error", "This path does not take this method."],
  missing_api_key: [
    401,
    "authentication_error",
    "Send your API key as `Authorization: Bearer <API_KEY>`.",
  ],
  invalid_api_key: [401, "authentication_error", "The API key is not valid."],
  api_key_revoked: [401, "authentication_error", "The API key was revoked."],
  api_key_expired: [401, "authentication_error", "The API key has expired."],
  invalid_callback: [401, "authentication_error", "The callback is not as its provider signs it."],
  invalid_sign_in: [
    401,
    "authentication_error",
    "The link to sign in is wrong, was used, or is too old.",
  ],
  insufficient_scope: [403, "permission_error", "The API key does not allow this."],
  account_suspended: [403, "permission_error", "The account is suspended."],
  insufficient_balance: [402, "billing_error", "The account's budget does not cover this task."],
  max_cost_exceeded: [402, "billing_error", "The task could cost more than the request allows."],
  quote_expired: [
    402,
    "billing_error",
    "The quote has expired, or the prices have changed since; ask for a new one.",
  ],
  unsupported_media_type: [
    415,
    "invalid_request_error",
    "Send the body as `Content-Type: application/json` in UTF-8.",
  ],
  unsupported_content_encoding: [
    415,
    "invalid_request_error",
    "Send the body without a Content-Encoding.",
  ],
  request_too_large: [413, "invalid_request_error", "The request body is too large."],
  request_timeout: [408, "invalid_request_error", "The request did not arrive in time."],
  headers_too_large: [431, "invalid_request_error", "The request headers are too large."],
  uri_too_long: [414, "invalid_request_error", "The request URL is too long."],
  malformed_request: [400, "invalid_request_error", "The request is not valid HTTP."],
  invalid_json: [400, "invalid_request_error", "The request body is not valid JSON."],
  duplicate_key: [400, "invalid_request_error", "The request body names a member twice."],
  json_too_complex: [400, "invalid_request_error", "The request body is nested too deeply."],
  model_not_found: [400, "invalid_request_error", "The model does not exist."],
  task_not_found: [404, "not_found_error", "The task does not exist."],
  task_not_finished: [409, "conflict_error", "The task is not finished yet."],
  proof_not_ready: [409, "conflict_error", "No signed checkpoint has the task yet; try again."],
  task_failed: [409, "conflict_error", "The task failed: it has no artifacts."],
  hold_not_allowed: [403, "permission_error", "The account may not keep artifacts longer."],
  artifact_not_found: [404, "not_found_error", "The task has no such artifact."],
  artifact_expired: [410, "artifact_expired", "The artifact has expired and can't be recovered."],
  webhook_not_found: [404, "not_found_error", "The webhook does not exist."],
  delivery_not_found: [404, "not_found_error", "The webhook has no such delivery."],
  webhook_disabled: [409, "conflict_error", "The webhook is disabled: enable it first."],
  webhook_limit_exceeded: [409, "conflict_error", "The account has as many webhooks as it may."],
  account_not_found: [404, "not_found_error", "The account does not exist."],
  key_not_found: [404, "not_found_error", "The account has no such key."],
  key_revoked: [409, "conflict_error", "The key is revoked: make another one."],
  channel_not_found: [404, "not_found_error", "The channel does not exist."],
  task_not_in_doubt: [
    409,
    "conflict_error",
    "Only a task whose outcome is unknown can be settled.",
  ],
  audit_running: [409, "conflict_error", "An audit is running: there is one at a time."],
  not_found: [404, "not_found_error", "There is nothing at this link."],
  precondition_failed: [412, "invalid_request_error", "A precondition of the request is false."],
  range_not_satisfiable: [416, "invalid_request_error", "The range lies outside of the artifact."],
  invalid_idempotency_key: [
    400,
    "idempotency_error",
    "Idempotency-Key takes 1 to 255 printable ASCII characters, once.",
  ],
  idempotency_key_reused: [
    422,
    "idempotency_error",
    "The Idempotency-Key was used for another request.",
  ],
  idempotency_key_in_use: [
    409,
    "idempotency_error",
    "A request with this Idempotency-Key is being accepted right now.",
  ],
  invalid_label: [400, "invalid_request_error", "A label is not as labels may be."],
  too_many_hops: [
    400,
    "invalid_request_error",
    "Too many services passed this request on: their channels lead in a circle.",
  ],
  rate_limit_exceeded: [429, "rate_limit_error", "Too many requests; wait and try again."],
  concurrency_limit_exceeded: [
    429,
    "rate_limit_error",
    "The account has as many unfinished tasks as it may.",
  ],
  storage_unavailable: [503, "api_error", "The artifact can't be read for now; try again."],
  service_unavailable: [503, "api_error", "The service is unavailable for now; try again."],
  outcome_unknown: [
    503,
    "api_error",
    "Whether the task was accepted is unknown; look before you send it again.",
  ],
  model_unavailable: [503, "api_error", "The model can't be made for now."],
  overloaded: [503, "overloaded_error", "The service is overloaded; try again later."],
  internal_error: [500, "api_error", "Something went wrong on our side."],
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof ERRORS

export const PARAMETER_CODES = Object.keys(PARAMETER_ERRORS) as readonly ParameterIssueCode[]

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]
