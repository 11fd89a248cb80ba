/**
 * Checks the proof of a task without the service and without its database. What comes from outside is refused by a
 * value, whatever it is. What a reader would get wrong: a proof says that the events are in the log, and not that the
 * task has no later ones.
 */
import { GENESIS_HASH, hashShownEvent, type ProvenEvent } from "@safelight/core"
import { toDigest } from "../bytes/digest.ts"
import type { Sha256 } from "../bytes/sha256.ts"
import {
  openCheckpoint,
  type OpenCheckpointOptions,
  type OpenedCheckpoint,
} from "../checkpoints/checkpoint.ts"
import { isRefusal, refuse, type Refusal } from "../notes/refusal.ts"
import { createTreeHash } from "../tree/hash-tree.ts"
import { isObject, isProvenEvent } from "./is-proven-event.ts"
import { createLogCheck } from "./log-check.ts"

export interface OpenTaskProofOptions extends OpenCheckpointOptions {
  readonly sha256: Sha256
}

export interface OpenedTaskProof extends OpenedCheckpoint {
  readonly task: string
  /** Oldest first; each is in the tree of the checkpoint, and follows from the one before. */
  readonly events: readonly ProvenEvent[]
}

/**
 * `document` is the parsed JSON. Refuses as `openCheckpoint` does, as `broken-chain` if an event was altered, taken out
 * or put in, and as `not-included` if one is not where it says in the tree of the checkpoint.
 */
export async function openTaskProof(
  document: unknown,
  options: OpenTaskProofOptions,
): Promise<OpenedTaskProof | Refusal> {
  const read = readDocument(document)
  if (isRefusal(read)) return read
  const opened = await openCheckpoint(read.checkpoint, options)
  if (isRefusal(opened)) return opened
  const { events, task } = read
  const { sha256 } = options
  const { checkpoint } = opened
  const check = createLogCheck({ tree: createTreeHash(sha256), checkpoint, isSelection: true })
  const leaves = events.map(({ index }) => index)
  const proofs = events.map(({ proof }) => proof)
  const refusal = findBreak(task, events, sha256) ?? check.add({ task, events, leaves, proofs })
  return refusal ?? { ...opened, task, events }
}

function findBreak(
  task: string,
  events: readonly ProvenEvent[],
  sha256: Sha256,
): Refusal | undefined {
  const digest = toDigest(sha256)
  let hash = GENESIS_HASH
  for (const [place, event] of events.entries()) {
    const { at, data, schema, sealed, type, version } = event
    const covered = sealed === undefined ? {} : { sealed }
    hash = hashShownEvent(digest, hash, { at, data, schema, ...covered, task, type, version })
    if (version !== place + 1 || hash !== event.hash) {
      return refuse("broken-chain", `event ${place + 1} is not the one that was written`)
    }
  }
  return undefined
}

interface ReadDocument {
  readonly task: string
  readonly checkpoint: string
  readonly events: readonly ProvenEvent[]
}

function readDocument(document: unknown): ReadDocument | Refusal {
  if (!isObject(document) || document["format"] !== "safelight-proof") {
    return refuse("malformed", "not a proof: its format is not safelight-proof")
  }
  const { checkpoint, events, task, version } = document
  if (version !== 1) return refuse("malformed", "the proof is of a version that is not known here")
  if (typeof task !== "string" || !task.isWellFormed() || typeof checkpoint !== "string") {
    return refuse("malformed", "the proof lacks its task or its checkpoint")
  }
  if (!Array.isArray(events) || events.length === 0) {
    return refuse("malformed", "the proof has no events")
  }
  const wrong = events.findIndex((event) => !isProvenEvent(event))
  if (wrong === -1) return { task, checkpoint, events }
  return refuse("malformed", `event ${wrong + 1} of the proof lacks a member, or has a wrong one`)
}
