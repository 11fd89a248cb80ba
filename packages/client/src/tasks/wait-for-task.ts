/**
 * Polls a task until it is finished. Pauses grow and are never shorter than the service asks for. Polls
 * that fail are repeated for a minute or two, so that waiting survives a restart of the service.
 */
import type { Task } from "../api/answers.ts"
import { isTask } from "../api/check-answers.ts"
import { toTaskPath } from "../api/paths.ts"
import type { Connection, JsonAnswer } from "../connection/connection.ts"
import { toPollPauseMs } from "../connection/pauses.ts"

export interface WaitOptions {
  /** Called with the task when it is first seen, and after each change of status or progress. */
  readonly onProgress?: ((task: Task) => void) | undefined
  /** Stops the waiting, not the task. */
  readonly signal?: AbortSignal | undefined
}

export function isFinished({ status }: Pick<Task, "status">): boolean {
  return status === "succeeded" || status === "failed"
}

/** `known` is the task as it was last seen. Without it the task is polled at once. */
export async function waitForTask(
  connection: Connection,
  id: string,
  { onProgress, signal }: WaitOptions,
  known?: Task,
): Promise<Task> {
  const { clock, random, settings } = connection
  const request = { method: "GET", path: toTaskPath(id), signal } as const
  const look = (): Promise<JsonAnswer<Task>> =>
    connection.retry(() => connection.ask(request, isTask), { signal, tries: settings.pollTries })

  let last = known
  let askedMs: number | undefined
  if (last !== undefined) onProgress?.(last)
  for (let looks = 0; last === undefined || !isFinished(last); looks += 1) {
    const pauseMs = toPollPauseMs(looks, askedMs, settings, random)
    if (last !== undefined) await clock.wait(pauseMs, signal)
    const { value: task, retryAfterMs } = await look()
    askedMs = retryAfterMs
    if (last?.status !== task.status || last.progress !== task.progress) onProgress?.(task)
    last = task
  }
  return last
}
