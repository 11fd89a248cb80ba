/**
 * A database that went back in time: after a failover to a standby that had not received its last commits, or a
 * restore, a task is older than this process left it. A process that still knows what was bought records it
 * again, so that it isn't bought a second time.
 */
import type { Log, Storage, StreamHead, TaskCommand } from "@safelight/core"

export interface LostCommitsPorts {
  readonly log: Log
  readonly storage: Pick<Storage, "readEvents">
}

/**
 * The commands to decide on `found`, which was read after a conflict, if `known` was stored before: the same
 * commands, after those that record again what `found` has lost. Rejects if the storage fails.
 */
export async function decideAgain(
  { log, storage }: LostCommitsPorts,
  known: StreamHead,
  found: StreamHead | undefined,
  commands: readonly TaskCommand[],
): Promise<readonly TaskCommand[]> {
  if (!(await hasLost(storage, known, found))) return commands
  const { dispatch, id: task, operation, version } = known.task
  const { channel, upstreamKey } = dispatch ?? {}
  log.error(
    { task, channel, upstreamKey, operation, version, found: found?.task.version ?? 0 },
    "events lost",
  )
  return found === undefined ? commands : recoverLost(known, found, commands)
}

/** Whether the event that `known` ends with is gone: its version may be another event's by now. */
async function hasLost(
  storage: Pick<Storage, "readEvents">,
  { hash, task: { id, version } }: StreamHead,
  found: StreamHead | undefined,
): Promise<boolean> {
  if (found === undefined || found.task.version < version) return true
  if (found.task.version === version) return found.hash !== hash
  const events = await storage.readEvents(id)
  return events[version - 1]?.hash !== hash
}

/**
 * The commands that bring `found` to the state of `known`, followed by `commands`, which were made for that state.
 * Commands that `found` does not need are refused by it and dropped.
 */
function recoverLost(
  { task: known }: StreamHead,
  { task: found }: StreamHead,
  commands: readonly TaskCommand[],
): readonly TaskCommand[] {
  const { dispatch, operation } = known
  if (dispatch === null) return commands
  const lost: TaskCommand[] = []
  // More than one attempt lost: the attempts' numbers would no longer be those of their keys.
  if (found.state === "queued" && found.attempt + 1 === known.attempt) {
    // With a reason of its own: an event equal to that of a new intent would be taken for that intent.
    const because = `written down again: the database had lost it (${dispatch.because})`
    const { channel, lease, sendBefore, upstreamKey } = dispatch
    lost.push({ kind: "dispatch", because, channel, lease, sendBefore, upstreamKey })
  }
  if (operation !== null) {
    lost.push({ kind: "accept", operation, upstreamKey: dispatch.upstreamKey })
  }
  return [...lost, ...commands]
}
