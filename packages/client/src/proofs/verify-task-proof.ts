/**
 * Verifies that a task's events are in the log that its operator has signed, on the reader's machine alone. What a reader
 * would get wrong: it proves what these events are, and not that the task has no later ones; and by keys that come
 * from the service, no more than that the service agrees with itself.
 */
import type { TaskProof } from "../api/proof-answers.ts"
import { openCheckpoint, type OpenedCheckpoint } from "./checkpoint.ts"
import { GENESIS_HASH, hashEvent } from "./event-hash.ts"
import { isFault, toFault, type ProofFault } from "./proof-fault.ts"
import type { ProofKeys } from "./proof-keys.ts"
import { readTaskProof, type ReadTaskProof } from "./read-task-proof.ts"
import { trustKeys } from "./trusted-keys.ts"
import { verifyInclusion } from "./verify-inclusion.ts"

export type VerifyTaskProofOptions = ProofKeys & {
  /** The id that it must be of; any task's by default, then look at the result's `task`. */
  readonly task?: string | undefined
  /** Public keys of witnesses that are trusted to have seen a checkpoint, and when; none by default. */
  readonly witnesses?: readonly string[] | undefined
}

export type TaskProofVerdict = ProvenTask | UnprovenTask

export interface ProvenTask {
  readonly isProven: true
  /** True by `keys` of the caller's; false if the keys are the service's own word. */
  readonly isPinned: boolean
  readonly task: string
  /** Oldest first, from version 1: what the log has of the task as far as the account may see it. */
  readonly events: readonly Omit<TaskProof["events"][number], "index" | "proof">[]
  readonly checkpoint: ProvenCheckpoint
}

export interface ProvenCheckpoint {
  /** Names the log. */
  readonly origin: string
  /** How many events the log had, of all tasks. */
  readonly size: number
  /** When the first of the witnesses saw it, in Unix milliseconds; null if none of `witnesses` did. */
  readonly seenAt: number | null
  /** By which the log signed it, `name+id+base64`; at least one. */
  readonly keys: readonly string[]
}

/** The first thing that is wrong. */
export interface UnprovenTask extends ProofFault {
  readonly isProven: false
  readonly isPinned: boolean
}

/**
 * `proof` is the document, parsed from JSON. Resolves to what it proves, or to the first thing that is wrong with it,
 * whatever it is. Rejects with a `TypeError` that names a wrong option, and with `no_ed25519` if this runtime or page
 * can't verify signatures. The format is `packages/proof/README.md`'s.
 */
export async function verifyTaskProof(
  proof: unknown,
  options: VerifyTaskProofOptions,
): Promise<TaskProofVerdict> {
  const isPinned = options.keys !== undefined
  const verified = await verify(proof, options)
  if (isFault(verified)) return { isProven: false, isPinned, ...verified }
  const { read, opened } = verified
  const { keys, origin, seenAt, size } = opened
  return {
    isProven: true,
    isPinned,
    task: read.task,
    events: read.events.map(toProven),
    checkpoint: { origin, size, seenAt, keys: keys.map(({ text }) => text) },
  }
}

function toProven({
  at,
  data,
  hash,
  schema,
  sealed,
  type,
  version,
}: ReadTaskProof["events"][number]): ProvenTask["events"][number] {
  return { version, at, type, schema, data, ...(sealed !== undefined && { sealed }), hash }
}

async function verify(
  proof: unknown,
  { task, witnesses = [], ...given }: VerifyTaskProofOptions,
): Promise<{ readonly read: ReadTaskProof; readonly opened: OpenedCheckpoint } | ProofFault> {
  const keys = trustKeys(given, witnesses)
  if (isFault(keys)) return keys
  const read = readTaskProof(proof)
  if (isFault(read)) return read
  if (task !== undefined && read.task !== task) {
    return toFault("other-task", "the proof is of another task than the one that was asked for")
  }
  const opened = await openCheckpoint(read.checkpoint, keys)
  if (isFault(opened)) return opened
  return findBreak(read) ?? findMissing(read, opened) ?? { read, opened }
}

function findBreak({ events, task }: ReadTaskProof): ProofFault | undefined {
  let hash = GENESIS_HASH
  for (const [place, event] of events.entries()) {
    hash = hashEvent(hash, { ...event, task })
    if (event.version !== place + 1 || hash !== event.hash) {
      const reason = `event ${place + 1} is not the one that was written`
      return toFault("broken-chain", reason, place + 1)
    }
  }
  return undefined
}

/** The leaves of a task stand in the order of its versions. */
function findMissing(
  { events, task }: ReadTaskProof,
  tree: OpenedCheckpoint,
): ProofFault | undefined {
  let last = -1
  for (const event of events) {
    const { index, version } = event
    if (index <= last || !verifyInclusion({ ...event, task }, tree)) {
      const reason = `event ${version} is not leaf ${index} of the tree that was signed`
      return toFault("not-included", reason, version)
    }
    last = index
  }
  return undefined
}
