/**
 * Giving tasks back to the queue. A release that fails is not repeated: the task is not in hand any more, so
 * that a later heartbeat finds it and releases it.
 */
import { isSafelightError, type ReleaseRequest } from "@safelight/core"
import type { Context } from "../host/context.ts"
import type { Work } from "./work.ts"

type Parts = Pick<Context, "lease" | "log" | "storage">

/** Rejects only where we are wrong. */
export async function giveBack(
  { lease, log, storage }: Parts,
  request: Omit<ReleaseRequest, "lease">,
): Promise<void> {
  if (request.tasks.length === 0) return
  try {
    await storage.release({ lease: lease.id, ...request })
  } catch (error) {
    if (!isSafelightError(error)) throw error
    log.warn({ tasks: request.tasks, error }, "tasks not released")
  }
}

/** Gives all of them back at once, those in line to be dispatched apart from those that are under way. */
export async function giveBackAll(
  parts: Parts,
  works: readonly Pick<Work, "head" | "id">[],
  dueAt: number,
): Promise<void> {
  const { anew = [], others = [] } = Object.groupBy(works, ({ head: { task } }) =>
    task.state === "queued" && task.attempt > 0 ? "anew" : "others",
  )
  await giveBack(parts, { tasks: anew.map(({ id }) => id), dueAt, startsAnew: true })
  await giveBack(parts, { tasks: others.map(({ id }) => id), dueAt })
}
