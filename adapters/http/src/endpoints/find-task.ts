/**
 * Finds the task of a path. An id that is malformed, an unknown task and another account's task are refused
 * with the same bytes.
 */
import {
  isTaskId,
  isTerminal,
  type ArtifactRow,
  type FoundArtifacts,
  type TaskService,
} from "@safelight/core"
import type { Refuse } from "../errors/refusal.ts"

/** "Poll every few seconds" (specification §4). */
export const POLL_HEADERS = { "retry-after": "2" } as const

/** What `find` resolves to. Rejects with a `Refusal` if the id is malformed or unknown. */
export async function findTask<Found>(
  refuse: Refuse<"task_not_found">,
  id: string,
  find: (id: string) => Promise<Found | undefined>,
): Promise<Found> {
  const found = isTaskId(id) ? await find(id) : undefined
  if (found === undefined) throw refuse("task_not_found")
  return found
}

/** The account's task of a path, and its artifacts. Rejects with a `Refusal` if it is unknown or unfinished. */
export type FindFinished = (account: string, id: string) => Promise<FoundArtifacts>

export function createFindFinished(
  service: Pick<TaskService, "findArtifacts">,
  refuse: Refuse<"task_not_finished" | "task_not_found">,
): FindFinished {
  return async (account, task) => {
    const found = await findTask(refuse, task, (id) => service.findArtifacts({ account, id }))
    if (!isTerminal(found.task)) throw refuse("task_not_finished", { headers: POLL_HEADERS })
    return found
  }
}

export function findArtifact(
  refuse: Refuse<"artifact_not_found">,
  { artifacts }: FoundArtifacts,
  key: string,
): ArtifactRow {
  const artifact = artifacts.find((each) => each.key === key)
  if (artifact === undefined) throw refuse("artifact_not_found")
  return artifact
}
