/**
 * Errors in the SDK's own classes, with ours as `cause`. The SDK repeats a call whose error is retryable, so
 * `isRetryable` is true only if the repetition can buy nothing again.
 */
import { APICallError, InvalidArgumentError, NoSuchModelError } from "@ai-sdk/provider"
import { isApiError, type ApiError } from "@safelight/client"
import type { Call } from "./open-call.ts"

export type ModelType = "imageModel" | "videoModel"

export interface Situation {
  readonly modelType: ModelType
  /** What was sent, or would have been. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  /** Tasks that exist. */
  readonly taskIds?: readonly string[]
  /** Whether more may exist. */
  readonly isUnknown?: boolean
  /** Whether the call only reads: it buys nothing however often it is repeated. */
  readonly isRead?: boolean
}

/** Anything but the client's own errors is returned as it is: the reason of an aborted signal, for one. */
export function toSdkError(error: unknown, call: Call, situation: Situation): unknown {
  const { modelId } = call
  if (error instanceof TypeError && error.message.startsWith("labels: ")) {
    const argument = "providerOptions.safelight.labels"
    return new InvalidArgumentError({ argument, message: error.message, cause: error })
  }
  if (!isApiError(error)) return error
  if (isNoModel(error)) return new NoSuchModelError({ modelId, modelType: situation.modelType })
  return toApiCallError(error, call, situation)
}

function isNoModel({ code, param }: ApiError): boolean {
  return code === "model_not_found" || (code === "not_found" && param === undefined)
}

function toApiCallError(error: ApiError, call: Call, situation: Situation): APICallError {
  const { key, modelId, service } = call
  const { parameters, taskIds = [], isUnknown, isRead } = situation
  const { code, type, message, param, details, status, task } = error
  const mayExist = taskIds.length > 0 || isUnknown === true
  const isSafe = isRead === true || call.isRepeatable || !mayExist
  // A task that failed is found again by its key, and is over.
  const isOver = task !== undefined
  const body = { error: { message, type, code, param, details } }
  const advice = isOver || isRead || !mayExist ? "" : toAdvice(taskIds)
  return new APICallError({
    message: `${message}${advice}`,
    url: `${service.baseURL.replace(/\/+$/, "")}/v1/tasks`,
    requestBodyValues: { model: modelId, parameters },
    ...(status !== undefined && { statusCode: status }),
    responseHeaders: toHeaders(error),
    responseBody: JSON.stringify(body),
    isRetryable: error.isRetryable && isSafe && !isOver,
    data: { ...body, taskIds, idempotencyKey: key },
    cause: error,
  })
}

function toAdvice(taskIds: readonly string[]): string {
  const tasks = taskIds.length === 0 ? "a task may exist" : `tasks exist: ${taskIds.join(", ")}`
  return ` (${tasks}; the same call with the idempotencyKey of the error's data joins them)`
}

/** By the names under which the SDK looks for a pause. */
function toHeaders({ requestId, retryAfterMs }: ApiError): Record<string, string> {
  return {
    ...(requestId !== undefined && { "x-request-id": requestId }),
    ...(retryAfterMs !== undefined && { "retry-after-ms": String(retryAfterMs) }),
  }
}
