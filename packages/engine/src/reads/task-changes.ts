/** Tasks as they were after each of their events: one change for each event. */
import {
  emptyTask,
  evolve,
  fold,
  GENESIS_HASH,
  MOST_CHANGES,
  openEvent,
  toHashDigits,
  type EventPlace,
  type ReadEntry,
  type StoredEvent,
  type StreamHead,
  type Task,
  type TaskChange,
  type TaskChanges,
} from "@safelight/core"
import type { Context } from "../host/context.ts"

type Storage = Pick<Context["storage"], "readTask" | "readEvents">

/** The first changes after an event, oldest first, `MOST_CHANGES` at most. */
export function toChanges(
  id: string,
  stored: readonly StoredEvent[],
  { version: after, digits }: EventPlace,
): TaskChanges {
  const hash = after === 0 ? GENESIS_HASH : stored[after - 1]?.hash
  if (hash === undefined || toHashDigits(hash) !== digits) return { kind: "lost" }
  const changes: TaskChange[] = []
  let task = toTaskAt(id, stored, after)
  for (const event of stored.slice(after, after + MOST_CHANGES)) {
    const { at, hash: own, type, version } = event
    const before = task
    task = evolve(before, openEvent(event))
    if (task === before)
      throw new RangeError(`${type} is not legal in ${before.state} (version ${version})`)
    changes.push({ task, hash: own, version, type, at })
  }
  return { kind: "changes", changes }
}

/** `newest` as it was after one of its events; undefined if it has no such version. */
export async function findTaskAt(
  storage: Pick<Storage, "readEvents">,
  newest: StreamHead,
  version: number,
): Promise<StreamHead | undefined> {
  const { id, version: last } = newest.task
  // Mostly nothing has happened since: then no event needs to be read.
  if (last === version) return newest
  const stored = last < version ? [] : await storage.readEvents(id)
  const hash = stored[version - 1]?.hash
  return hash === undefined ? undefined : { task: toTaskAt(id, stored, version), hash }
}

/**
 * The change of each entry, in their order; undefined for an entry whose event the database has lost. Changes that
 * this process wrote are in the entries already.
 */
export function readEntries(
  storage: Storage,
  entries: readonly ReadEntry[],
): Promise<readonly (TaskChange | undefined)[]> {
  const events = new Map<string, Promise<readonly StoredEvent[]>>()
  function readEvents(id: string): Promise<readonly StoredEvent[]> {
    const reading = events.get(id) ?? storage.readEvents(id)
    events.set(id, reading)
    return reading
  }
  return Promise.all(
    entries.map(async ({ at, head: known, task: id, type, version }) => {
      const newest = known ?? (await storage.readTask(id))
      const head = newest && (await findTaskAt({ readEvents }, newest, version))
      return head && { ...head, version, type, at }
    }),
  )
}

function toTaskAt(id: string, stored: readonly StoredEvent[], version: number): Task {
  if (version === 0) return emptyTask(id)
  return fold(id, stored.slice(0, version).map(openEvent))
}
