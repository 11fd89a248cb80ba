/**
 * Ends every unfinished task of a suspended account. A service on the same data may accept tasks for another
 * second, so they are listed once more after it.
 */
import { setTimeout } from "node:timers/promises"
import type { Storage, TaskPosition, TaskStatus } from "@safelight/core"
import { cancelTask } from "@safelight/engine"
import type { Configuration } from "./configuration/configuration.ts"

const PAGE_TASKS = 100
/** A service caches an account for a second, and a commit takes some time. */
const OBEYED_AFTER_MS = 1_500

const UNFINISHED = ["queued", "running"] as const satisfies readonly TaskStatus[]

/** Resolves to the number of tasks that it ended. */
export async function stopAccount(
  storage: Storage,
  account: string,
  configuration: Pick<Configuration, "engine" | "retentionMs">,
): Promise<number> {
  const settings = { ...configuration.engine, retentionMs: configuration.retentionMs }
  const stopAll = async (): Promise<number> => {
    let count = 0
    for await (const id of listUnfinished(storage, account)) {
      const cancellation = await cancelTask({ storage, settings }, id)
      count += Number(cancellation !== undefined && cancellation.outcome !== "too-late")
    }
    return count
  }
  const early = await stopAll()
  await setTimeout(OBEYED_AFTER_MS)
  return early + (await stopAll())
}

async function* listUnfinished(storage: Storage, account: string): AsyncGenerator<string> {
  for (const status of UNFINISHED) {
    for (let after: TaskPosition | null | undefined; after !== null;) {
      const request = { account, status, limit: PAGE_TASKS, ...(after && { after }) }
      const page: Awaited<ReturnType<Storage["listTasks"]>> = await storage.listTasks(request)
      for (const { id } of page.tasks) yield id
      after = page.next
    }
  }
}
