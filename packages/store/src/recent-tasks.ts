/**
 * Tasks as they were after this process's own latest appends. A reader of a feed needs the task of each new entry,
 * and need not ask the database for a task that was written through this storage just now.
 */
import type { Append, FeedEntry, ReadEntry, StoredEvent, Task } from "@safelight/core"
import { toNewestEvent } from "./sql/log-change.ts"

/** At most 32 MiB of what callers wrote. */
const KEPT_TASKS = 1_024
const SNAPSHOT_CHARACTERS = 32 * 1024

export interface RecentTasks {
  readonly keep: (append: Append) => void
  /** The entry with its task, if that is still kept. */
  readonly addTo: (entry: FeedEntry) => ReadEntry
}

interface Kept {
  /** In a database that went back in time another event may have taken the version. */
  readonly newest: StoredEvent
  readonly state: Task
}

export function createRecentTasks(): RecentTasks {
  const kept = new Map<string, Kept>()
  return {
    keep(append) {
      const { state, changes } = append
      if (state === undefined || changes.task.snapshot.length > SNAPSHOT_CHARACTERS) return
      kept.set(toKey(state.id, state.version), { newest: toNewestEvent(append), state })
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_TASKS) break
        kept.delete(oldest)
      }
    },
    addTo(entry) {
      const found = kept.get(toKey(entry.task, entry.version))
      if (found?.newest.at !== entry.at || found.newest.type !== entry.type) return entry
      return { ...entry, head: { task: found.state, hash: found.newest.hash } }
    },
  }
}

function toKey(task: string, version: number): string {
  return `${task} ${version}`
}
