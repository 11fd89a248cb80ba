/** Waits for a task as long as the call may take, and tells how far it is. */
import { isApiError, type ClientTask, ApiError } from "@safelight/client"
import type { ToolCall } from "./tool.ts"

/**
 * The task when it is finished, or as it is when the time is over. Rejects with the signal's reason, and with an
 * `ApiError` that names the task.
 */
export async function waitForTask(
  { client, report, signal, stopping }: ToolCall,
  task: ClientTask,
  seconds: number,
): Promise<ClientTask> {
  signal.throwIfAborted()
  if (seconds === 0) return task
  const over = AbortSignal.any([AbortSignal.timeout(seconds * 1_000), stopping])
  const either = AbortSignal.any([over, signal])
  try {
    return await client.wait(task, { signal: either, onProgress: report })
  } catch (error) {
    if (isApiError(error)) throw toNamed(error, task)
    if (signal.aborted || !over.aborted) throw error
  }
  return client.get(task.task_id, { signal }).catch((error: unknown) => {
    throw isApiError(error) ? toNamed(error, task) : error
  })
}

/** The task is bought: who reads of an error must be able to find it. */
function toNamed(error: ApiError, task: ClientTask): ApiError {
  const { code, details, message, param, requestId, retryAfterMs, type } = error
  return new ApiError({ code, details, message, param, requestId, retryAfterMs, type, task })
}
