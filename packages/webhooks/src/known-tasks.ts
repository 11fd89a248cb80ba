/** Tasks as their events left them, for messages. */
import { emptyTask, evolve, type Task, type TaskRequest, type TaskService } from "@safelight/core"

/** An engine implements it. */
export type KnownTasks = Pick<TaskService, "findTask" | "listEvents">

interface VersionRequest extends TaskRequest {
  readonly version: number
}

/** Undefined if the account has no such task, or it has no such version. Rejects as the storage does. */
export async function findTaskAt(
  tasks: KnownTasks,
  { account, id, version }: VersionRequest,
): Promise<Task | undefined> {
  const newest = await tasks.findTask({ account, id })
  // Mostly nothing has happened since: then no event needs to be read.
  if (newest === undefined || newest.version === version) return newest
  const events = (await tasks.listEvents({ account, id })) ?? []
  const task = events.slice(0, version).reduce(evolve, emptyTask(id))
  return task.version === version ? task : undefined
}
