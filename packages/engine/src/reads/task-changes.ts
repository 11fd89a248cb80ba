/** Tasks as their events left them, one change for each event. */
import {
  fold,
  openEvent,
  type ReadEntry,
  type StoredEvent,
  type Task,
  type TaskChange,
} from "@safelight/core"
import type { Context } from "../host/context.ts"

type Storage = Pick<Context["storage"], "readTask" | "readEvents">

/** The changes after a version, oldest first. */
export function toChanges(id: string, stored: readonly StoredEvent[], after: number): TaskChange[] {
  return stored.flatMap(({ at, type, version }) => {
    if (version <= after) return []
    return { task: toTaskAt(id, stored, version), version, type, at }
  })
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
  return fold(id, stored.slice(0, version).map(openEvent))
}
