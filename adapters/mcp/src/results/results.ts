/**
 * What a tool answers: data for programs, and the same as text for those that read text alone. A refusal of the
 * service is an answer too, so that the agent reads its code and the field that is wrong.
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import type { ApiError } from "@safelight/client"

export function toResult(data: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data }
}

export function toErrorResult(error: ApiError): CallToolResult {
  return { ...toResult(toErrorData(error)), isError: true }
}

/** The error of the API, with what the client knows of it. */
export function toErrorData(error: ApiError): Record<string, unknown> {
  const { code, details, idempotencyKey, message, param, requestId, retryAfterMs, task, type } =
    error
  return {
    error: {
      message,
      type,
      code,
      ...(param !== undefined && { param }),
      ...(details.length > 0 && { details }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...(retryAfterMs !== undefined && { retry_after_seconds: Math.ceil(retryAfterMs / 1_000) }),
    },
    ...(task !== undefined && { task_id: task.task_id }),
    // Only then may a task exist that nobody knows of.
    ...(code === "outcome_unknown" && { idempotency_key: idempotencyKey }),
  }
}
