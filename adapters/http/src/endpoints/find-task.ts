/**
 * Finds the task of a path. An id that is malformed, an unknown task and another account's task are refused
 * with the same bytes.
 */
import {
  isTaskId,
  isTerminal,
  type Artifact,
  type FoundArtifacts,
  type TaskService,
} from "@safelight/core"
import type { ErrorCode } from "../errors/error-table.ts"
import type { Refuse } from "../errors/refusal.ts"

/** "Poll every few seconds" (specification §4). */
export const POLL_HEADERS = { "retry-after": "2" } as const

/** A call that may be refused with these codes. */
interface Refusable<Code extends ErrorCode> {
  readonly param: (name: string) => string
  readonly refuse: Refuse<Code>
}

/** What `find` resolves to. Rejects with a `Refusal` if the id is malformed or unknown. */
export async function findTask<Found>(
  { param, refuse }: Refusable<"task_not_found">,
  find: (id: string) => Promise<Found | undefined>,
): Promise<Found> {
  const id = param("task")
  const found = isTaskId(id) ? await find(id) : undefined
  if (found === undefined) throw refuse("task_not_found")
  return found
}

/** The account's task and its artifacts. Rejects with a `Refusal` if the task is unknown or unfinished. */
export async function findFinished(
  call: Refusable<"task_not_finished" | "task_not_found">,
  service: Pick<TaskService, "findArtifacts">,
  account: string,
): Promise<FoundArtifacts> {
  const found = await findTask(call, (id) => service.findArtifacts({ account, id }))
  if (!isTerminal(found.task)) throw call.refuse("task_not_finished", { headers: POLL_HEADERS })
  return found
}

/** That of the path. */
export function findArtifact(
  { param, refuse }: Refusable<"artifact_not_found">,
  { artifacts }: FoundArtifacts,
): Artifact {
  const key = param("key")
  const artifact = artifacts.find((each) => each.key === key)
  if (artifact === undefined) throw refuse("artifact_not_found")
  return artifact
}
