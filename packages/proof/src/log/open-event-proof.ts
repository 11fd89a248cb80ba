/**
 * Checks the proof of one event without the others of its task, as a statement has it for each charge. What a reader
 * would get wrong: it says nothing of the events before but that their hash is the one that is named.
 */
import { hashShownEvent, type ProvenEvent } from "@safelight/core"
import { fromBase64 } from "../bytes/base64.ts"
import { toDigest } from "../bytes/digest.ts"
import { openCheckpoint, type OpenedCheckpoint } from "../checkpoints/checkpoint.ts"
import { isRefusal, refuse, type Refusal } from "../notes/refusal.ts"
import { createTreeHash } from "../tree/hash-tree.ts"
import { verifyInclusion } from "../tree/verify-inclusion.ts"
import { hashEventEntry } from "./event-entry.ts"
import { isProvenEvent } from "./is-proven-event.ts"
import type { OpenTaskProofOptions } from "./open-task-proof.ts"

/** As it came: each member may be anything. */
export interface EventProof {
  /** The signed note. */
  readonly checkpoint: unknown
  readonly task: unknown
  /** The hash of the task's event before; 64 zeros of a first event. */
  readonly previousHash: unknown
  /** A `ProvenEvent`. */
  readonly event: unknown
}

export interface OpenedEventProof extends OpenedCheckpoint {
  readonly task: string
  /** It is in the tree of the checkpoint, and says what was written. */
  readonly event: ProvenEvent
}

/**
 * Refuses as `openCheckpoint` does, as `broken-chain` if the event is not what its hash covers, and as `not-included`
 * if it is not where it says in the tree of the checkpoint.
 */
export async function openEventProof(
  { checkpoint: note, event, previousHash, task }: EventProof,
  options: OpenTaskProofOptions,
): Promise<OpenedEventProof | Refusal> {
  if (typeof note !== "string" || typeof task !== "string" || !task.isWellFormed()) {
    return refuse("malformed", "the proof lacks its task or its checkpoint")
  }
  const isNamed = typeof previousHash === "string" && HASH.test(previousHash)
  if (!isProvenEvent(event) || event.version < 1 || !isNamed) {
    return refuse("malformed", "the proof lacks its event, or the hash before")
  }
  const opened = await openCheckpoint(note, options)
  if (isRefusal(opened)) return opened
  const { sha256 } = options
  const { hash, index, proof, ...said } = event
  if (hashShownEvent(toDigest(sha256), previousHash, { ...said, task }) !== hash) {
    return refuse("broken-chain", "the event is not the one that was written")
  }
  const tree = createTreeHash(sha256)
  const leafHash = hashEventEntry(tree, { task, version: event.version, hash })
  const path = proof.map((text) => fromBase64(text) ?? new Uint8Array(0))
  const isIn = verifyInclusion(tree, { ...opened.checkpoint, leafHash, index, proof: path })
  return isIn
    ? { ...opened, task, event }
    : refuse("not-included", "the event is not in the tree that was signed")
}

const HASH = /^[0-9a-f]{64}$/
