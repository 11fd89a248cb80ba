/**
 * Gives the log's new events their leaves, signs the tree, and hands every checkpoint to the places where it is kept
 * outside of the database. A tree is signed only if it extends what those places have, and what this process signed
 * before: so a database that was set back is found even if its own checkpoints went back with it.
 */
import type { KeptCheckpoint, TreeStorage } from "@safelight/core"
import type { OpenCheckpointOptions } from "../checkpoints/checkpoint.ts"
import type { NoteSigner } from "../notes/note-signature.ts"
import { isRefusal, type Refusal } from "../notes/refusal.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { createSequencer, type SequencerOptions } from "./sequencer.ts"
import { signTree } from "./sign-tree.ts"

/** A place outside of the database, such as a file that others can't write. */
export interface CheckpointCopy {
  /** For people. */
  readonly name: string
  /** The newest that it has; undefined if it has none, or can't tell. Rejects if it can't be read. */
  readLast(): Promise<string | undefined>
  /** Durable once resolved. Called with each checkpoint once, and again after a failure. */
  keep(checkpoint: KeptCheckpoint): Promise<void>
}

export interface CheckpointKeeperOptions extends Pick<SequencerOptions, "batchEvents"> {
  readonly storage: TreeStorage
  readonly tree: TreeHash
  /** The log's own, whose name is the log's origin. */
  readonly signer: NoteSigner
  /** With which the log signed before; none by default. */
  readonly formerKeys?: OpenCheckpointOptions["logKeys"]
  readonly verify: OpenCheckpointOptions["verify"]
  /** None by default. */
  readonly copies?: readonly CheckpointCopy[]
}

export interface KeepReport {
  readonly checkpoint: KeptCheckpoint
  /** Of the copies that did not take it; they get it at the next call. */
  readonly failures: readonly { readonly copy: string; readonly error: unknown }[]
}

export interface CheckpointKeeper {
  /**
   * Signs everything that was committed before the call. `now` is in milliseconds. Refuses as `signTree` does, and then
   * signs nothing. Rejects with the errors of the storage and the signer, and if a copy can't be read at the first
   * call: what it has may contradict the tree.
   */
  keep(now: number): Promise<KeepReport | Refusal>
}

export function createCheckpointKeeper(options: CheckpointKeeperOptions): CheckpointKeeper {
  const { copies = [], formerKeys = [], signer, storage, tree, verify } = options
  const sequencer = createSequencer(options)
  /** By copy: the largest that it is known to have, from its own word or from ours. */
  const kept = new Map<CheckpointCopy, string>()
  let known: readonly string[] | undefined

  async function readCopies(): Promise<readonly string[]> {
    const notes = await Promise.all(
      copies.map(async (copy) => {
        const note = await copy.readLast()
        if (note !== undefined) kept.set(copy, note)
        return note
      }),
    )
    return notes.filter((note) => note !== undefined)
  }

  async function handOut(checkpoint: KeptCheckpoint): Promise<KeepReport["failures"]> {
    const failures = await Promise.all(
      copies.map(async (copy) => {
        if (kept.get(copy) === checkpoint.note) return undefined
        try {
          await copy.keep(checkpoint)
          kept.set(copy, checkpoint.note)
          return undefined
        } catch (error) {
          return { copy: copy.name, error }
        }
      }),
    )
    return failures.filter((failure) => failure !== undefined)
  }

  return {
    async keep(now) {
      if (known === undefined) {
        known = await readCopies()
        await storage.openTree()
      }
      await sequencer.sequence()
      const origin = signer.key.name
      const signing = { storage, tree, origin, signers: [signer], formerKeys, verify, known, now }
      const checkpoint = await signTree(signing)
      if (isRefusal(checkpoint)) return checkpoint
      known = [checkpoint.note]
      return { checkpoint, failures: await handOut(checkpoint) }
    },
  }
}
