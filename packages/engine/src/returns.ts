/**
 * Giving tasks back to the queue. A release that fails is owed and repeated with every renewal,
 * since a claim keeps its tasks as long as its process lives. Releasing a task that is no longer
 * held changes nothing, so it may be tried as often as one likes.
 */
import { isSafelightError, type ReleaseRequest } from "@safelight/core"
import type { Ports } from "./ports.ts"

export interface Returns {
  /** Releases the tasks, now or later. Rejects only where we are wrong. */
  release(request: ReleaseRequest): Promise<void>
  /** Repeats what is owed; rejects where the storage still fails. */
  settle(): Promise<void>
}

export function createReturns({ log, storage }: Pick<Ports, "log" | "storage">): Returns {
  let owed: readonly ReleaseRequest[] = []
  return {
    async release(request) {
      try {
        await storage.release(request)
      } catch (error) {
        if (!isSafelightError(error)) throw error
        owed = [...owed, request]
        log.warn({ tasks: request.tasks, error }, "tasks could not be given back yet")
      }
    },
    async settle() {
      for (const request of owed) {
        await storage.release(request)
        owed = owed.filter((each) => each !== request)
      }
    },
  }
}
