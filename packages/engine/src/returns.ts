/**
 * Giving tasks back to the queue. A release that fails is owed and repeated with every renewal,
 * since a claim keeps its tasks as long as its process lives. Releasing a task that is no longer
 * held changes nothing, so it may be tried as often as one likes.
 */
import { isSafelightError, type ReleaseRequest } from "@safelight/core"
import type { Ports } from "./ports.ts"
import type { Work } from "./work.ts"

export interface Returns {
  /** Releases the tasks, now or later. Rejects only where we are wrong. */
  release(request: ReleaseRequest): Promise<void>
  /**
   * Releases them all, those of one claim at once: what could not begin here. A start keeps its turn,
   * or it would come before those of everybody else.
   */
  releaseAll(works: readonly Pick<Work, "claim" | "id">[], dueAt: number): Promise<void>
  /** Repeats what is owed, the tasks of one claim and moment at once; rejects where that fails. */
  settle(): Promise<void>
}

export function createReturns({
  clock,
  log,
  storage,
}: Pick<Ports, "clock" | "log" | "storage">): Returns {
  let owed: ReleaseRequest[] = []

  async function release(request: ReleaseRequest): Promise<void> {
    try {
      await storage.release(request)
    } catch (error) {
      if (!isSafelightError(error)) throw error
      owed.push(request)
      log.warn({ tasks: request.tasks, error }, "tasks not released")
    }
  }

  return {
    release,
    async releaseAll(works, dueAt) {
      for (const [claim, held] of Map.groupBy(works, (work) => work.claim)) {
        await release({ claim, tasks: held.map(({ id }) => id), dueAt, keepsTurns: true })
      }
    },
    async settle() {
      const left = merge(owed, clock.now())
      // What is owed from now on comes next time.
      owed = []
      try {
        for (let request = left.at(-1); request !== undefined; request = left.at(-1)) {
          await storage.release(request)
          left.pop()
        }
      } finally {
        owed.push(...left)
      }
    },
  }
}

/** Moments that have passed are the same: an outage leaves many of them, and one request a claim. */
function merge(requests: readonly ReleaseRequest[], now: number): ReleaseRequest[] {
  const merged: ReleaseRequest[] = []
  const toDueAt = ({ dueAt }: ReleaseRequest): number => Math.max(dueAt, now)
  const toGroup = (each: ReleaseRequest): string =>
    JSON.stringify([each.claim, toDueAt(each), each.keepsTurns === true])
  for (const [first, ...others] of Map.groupBy(requests, toGroup).values()) {
    if (first === undefined) continue
    const tasks = [first, ...others].flatMap((each) => each.tasks)
    merged.push({ ...first, dueAt: toDueAt(first), tasks })
  }
  return merged
}
