/**
 * Ends every unfinished task of an account. A process on the same data may accept tasks for another second after the
 * account was suspended, so they are listed once more after it.
 */
import type { Clock, Storage, TaskPosition, TaskService, TaskStatus } from "@safelight/core"

export interface StopTasksOptions {
  readonly storage: Pick<Storage, "listTasks">
  readonly clock: Pick<Clock, "wait">
  readonly engine: Pick<TaskService, "cancel">
}

const PAGE_TASKS = 100
/** A service caches an account for a second, and a commit takes some time. */
const OBEYED_AFTER_MS = 1_500

const UNFINISHED = ["queued", "running"] as const satisfies readonly TaskStatus[]

/** Resolves to the number of tasks that it ended. */
export async function stopTasks(
  { clock, engine, storage }: StopTasksOptions,
  account: string,
): Promise<number> {
  const stopAll = async (): Promise<number> => {
    let count = 0
    for await (const id of listUnfinished(storage, account)) {
      const cancellation = await engine.cancel({ account, id })
      count += Number(cancellation !== undefined && cancellation.outcome !== "too-late")
    }
    return count
  }
  const early = await stopAll()
  await clock.wait(OBEYED_AFTER_MS)
  return early + (await stopAll())
}

async function* listUnfinished(
  storage: StopTasksOptions["storage"],
  account: string,
): AsyncGenerator<string> {
  for (const status of UNFINISHED) {
    for (let after: TaskPosition | null | undefined; after !== null;) {
      const request = { account, status, limit: PAGE_TASKS, ...(after && { after }) }
      const page: Awaited<ReturnType<Storage["listTasks"]>> = await storage.listTasks(request)
      for (const { id } of page.tasks) yield id
      after = page.next
    }
  }
}
