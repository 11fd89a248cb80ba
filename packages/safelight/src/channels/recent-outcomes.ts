/**
 * What came of the tasks of the last day, by channel. Only the newest of them are looked at: a busy
 * service has millions a day, and which channel made a task stands in no index.
 */
import type { Outcomes, Storage } from "@safelight/core"
import { toFirstTaskId } from "@safelight/engine"

const DAY_MS = 86_400_000
/** Read in a fraction of a second. */
export const MOST_TASKS = 10_000

export function listRecentOutcomes(storage: Storage, now = Date.now()): Promise<Outcomes> {
  const createdSince = now - DAY_MS
  const fromId = toFirstTaskId(createdSince)
  return storage.sumOutcomes({ createdSince, fromId, limit: MOST_TASKS })
}
