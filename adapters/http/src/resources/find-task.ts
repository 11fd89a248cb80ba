/**
 * What the task endpoints share: an id that can't be one, an unknown task and another account's
 * are refused with the same bytes.
 */
import { isTaskId, isTerminal, type FoundArtifacts, type TaskService } from "@safelight/core"
import { Refusal } from "../errors/refusal.ts"

/** "Poll every few seconds" (specification §4). */
export const POLL_HEADERS = { "retry-after": "2" } as const

export function refuseTask(): Refusal {
  return new Refusal("task_not_found")
}

/** The artifacts of a finished task. Throws a `Refusal` for an unknown or unfinished one. */
export async function findFinished(
  service: TaskService,
  account: string,
  id: string,
): Promise<FoundArtifacts> {
  const found = isTaskId(id) ? await service.findArtifacts({ account, id }) : undefined
  if (found === undefined) throw refuseTask()
  if (!isTerminal(found.task)) throw new Refusal("task_not_finished", { headers: POLL_HEADERS })
  return found
}
