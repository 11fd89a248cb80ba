/** Tasks as their events left them, one change for each event. */
import {
  emptyTask,
  evolve,
  fold,
  MOST_CHANGES,
  openEvent,
  type ReadEntry,
  type StoredEvent,
  type Task,
  type TaskChange,
} from "@safelight/core"
import type { Context } from "../host/context.ts"

type Storage = Pick<Context["storage"], "readTask" | "readEvents">

/** The first changes after a version, oldest first, `MOST_CHANGES` at most. */
export function toChanges(id: string, stored: readonly StoredEvent[], after: number): TaskChange[] {
  const changes: TaskChange[] = []
  let task = toTaskAt(id, stored, after)
  for (const event of stored.slice(after, after + MOST_CHANGES)) {
    const { at, type, version } = event
    const before = task
    task = evolve(before, openEvent(event))
    if (task === before)
      throw new RangeError(`${type} is not legal in ${before.state} (version ${version})`)
    changes.push({ task, version, type, at })
  }
  return changes
}

/**
 * The change of each entry, in their order. An entry whose event is gone is left out: the database went back
 * in time. What this process wrote itself comes with its entry; of what others wrote, the newest state is
 * usually the one that is wanted.
 */
export async function readEntries<Entry extends ReadEntry>(
  storage: Storage,
  entries: readonly Entry[],
): Promise<readonly (TaskChange & { readonly entry: Entry })[]> {
  const events = new Map<string, Promise<readonly StoredEvent[]>>()
  async function find({ task: id, version, state }: Entry): Promise<Task | undefined> {
    if (state !== undefined) return state
    const head = await storage.readTask(id)
    if (head === undefined || head.task.version < version) return undefined
    if (head.task.version === version) return head.task
    const stored = events.get(id) ?? storage.readEvents(id)
    events.set(id, stored)
    return toTaskAt(id, await stored, version)
  }
  const changes = entries.map(async (entry) => {
    const task = await find(entry)
    const { at, type, version } = entry
    return task === undefined ? [] : [{ task, version, type, at, entry }]
  })
  return (await Promise.all(changes)).flat()
}

function toTaskAt(id: string, stored: readonly StoredEvent[], version: number): Task {
  if (version === 0) return emptyTask(id)
  return fold(id, stored.slice(0, version).map(openEvent))
}
