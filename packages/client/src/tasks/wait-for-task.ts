/**
 * Waits until a task is finished. Each request asks the service to answer at the task's end (`Prefer: wait`). A
 * service that does not do so, or has no room for it, is polled in growing pauses, which are never shorter than it
 * asks for. So is one whose answer failed once, since a proxy may cut what takes long. Requests that fail are
 * repeated for a minute or two, so that waiting survives a restart of the service.
 */
import { isApiError } from "../connection/api-error.ts"
import type { Task } from "../api/answers.ts"
import { isTask } from "../api/check-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import type { Connection, JsonAnswer } from "../connection/connection.ts"
import { toPollPauseMs, toWaitSeconds } from "../connection/pauses.ts"

export interface WaitOptions {
  /** Called with the task when it is first seen, and after each change of status or progress. */
  readonly onProgress?: ((task: Task) => void) | undefined
  /** Stops the waiting, not the task. */
  readonly signal?: AbortSignal | undefined
}

export function isFinished({ status }: Pick<Task, "status">): boolean {
  return status === "succeeded" || status === "failed"
}

/** `known` is the task as it was last seen. */
export async function waitForTask(
  connection: Connection,
  id: string,
  { onProgress, signal }: WaitOptions,
  known?: Task,
): Promise<Task> {
  const { clock, random, settings } = connection
  const tries = { signal, tries: settings.pollTries }
  let isPolled = false

  /** Whether the answer came as late as was asked for: one that comes at once is no reason to ask at once. */
  async function ask(seconds: number): Promise<JsonAnswer<Task>> {
    const headers = { prefer: `wait=${seconds}` }
    const wish = isPolled || seconds < 1 ? {} : { headers }
    const beganAt = clock.now()
    try {
      const answer = await connection.ask(
        { method: "GET", path: toTaskPath(id), signal, ...wish },
        isTask,
      )
      const hasWaited = answer.hasWaited && clock.now() - beganAt >= seconds * 500
      return { ...answer, hasWaited }
    } catch (error) {
      isPolled ||= isApiError(error) && error.isRetryable
      throw error
    }
  }

  let last = known
  if (last !== undefined) onProgress?.(last)
  for (let [looks, polls] = [0, 0]; last === undefined || !isFinished(last); looks += 1) {
    const seconds = toWaitSeconds(looks, onProgress !== undefined, settings)
    const {
      value: task,
      retryAfterMs,
      hasWaited,
    } = await connection.retry(() => ask(seconds), tries)
    if (last?.status !== task.status || last.progress !== task.progress) onProgress?.(task)
    last = task
    if (hasWaited || isFinished(task)) continue
    await clock.wait(toPollPauseMs(polls, retryAfterMs, settings, random), signal)
    polls += 1
  }
  return last
}
