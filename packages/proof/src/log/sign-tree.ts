/**
 * Signs the tree as it stands, once it was proved to extend every checkpoint that was signed before. A database that was
 * set back, or exchanged for another, is found by this: so checkpoints are kept outside of it too, and handed in.
 */
import type { KeptCheckpoint, TreeHead, TreeStorage } from "@safelight/core"
import { fromHex } from "../bytes/hex.ts"
import { areSameBytes } from "../bytes/sha256.ts"
import {
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint,
  type Checkpoint,
  type OpenCheckpointOptions,
} from "../checkpoints/checkpoint.ts"
import type { NoteSigner } from "../notes/note-signature.ts"
import { isRefusal, refuse, type Refusal } from "../notes/refusal.ts"
import { parseNote } from "../notes/signed-note.ts"
import { readRoot } from "../tiles/prove.ts"
import { MOST_LEAVES, type TreeHash } from "../tree/hash-tree.ts"
import { createTreeSource } from "./tree-source.ts"

export interface SignTreeOptions extends Pick<OpenCheckpointOptions, "origin" | "verify"> {
  readonly storage: Pick<TreeStorage, "findCheckpoint" | "keepCheckpoint" | "readTile" | "readTree">
  readonly tree: TreeHash
  /** The log's own first; at least one. */
  readonly signers: readonly NoteSigner[]
  /** With which the log signed before, if it has another key now; none by default. */
  readonly formerKeys?: OpenCheckpointOptions["logKeys"]
  /** Signed checkpoints of this log that were kept outside of the storage; none by default. */
  readonly known?: readonly string[]
  /** Milliseconds. */
  readonly now: number
}

/**
 * Resolves to the checkpoint of the tree, which the storage keeps: a new one, or the one that it has of this size.
 * Refuses, and signs nothing, with `no-tree` before there is one; `shorter-tree` if a checkpoint has more events than
 * the tree; `other-tree` if the tree had other events at a checkpoint's size, or its tiles do not make its root; and as
 * `openCheckpoint` does if a checkpoint is not the log's own. Rejects with the errors of the storage and the signers.
 */
export async function signTree(options: SignTreeOptions): Promise<KeptCheckpoint | Refusal> {
  const { known = [], now, origin, signers, storage } = options
  // Read before the tree: another process may extend and sign it meanwhile.
  const last = await findLast(options)
  const head = await storage.readTree()
  if (head === undefined) return refuse("no-tree", "there is no tree over the log yet")
  const before = last === undefined ? known : [...known, last.note]
  for (const note of before) {
    // oxlint-disable-next-line no-await-in-loop -- the first that is contradicted ends it
    const refusal = await findContradiction(options, head, note)
    if (refusal !== undefined) return refusal
  }
  const root = fromHex(head.root)
  if (!(await isRootAt(options, { size: head.size, root }))) {
    return refuse("other-tree", `the tiles of the tree of ${head.size} events make another root`)
  }
  if (last?.size === head.size) return last
  const checkpoint = { origin, size: head.size, root, extensions: [] }
  const kept = { size: head.size, at: now, note: await signCheckpoint(checkpoint, signers, now) }
  await storage.keepCheckpoint(kept)
  return kept
}

/**
 * The last checkpoint of this log. One of another log counts for nothing: whoever restores a backup begins a log of
 * another name, since the old one can't go on.
 */
async function findLast({ origin, storage }: SignTreeOptions): Promise<KeptCheckpoint | undefined> {
  const last = await storage.findCheckpoint({ mostSize: MOST_LEAVES })
  const note = last && parseNote(last.note)
  const checkpoint = note && !isRefusal(note) && parseCheckpoint(note.text)
  const isOther = checkpoint && !isRefusal(checkpoint) && checkpoint.origin !== origin
  return isOther === true ? undefined : last
}

async function findContradiction(
  options: SignTreeOptions,
  head: TreeHead,
  note: string,
): Promise<Refusal | undefined> {
  const { formerKeys = [], origin, signers, verify } = options
  const logKeys = [...signers.map(({ key }) => key), ...formerKeys]
  const opened = await openCheckpoint(note, { origin, logKeys, verify })
  if (isRefusal(opened)) return opened
  const { size } = opened.checkpoint
  if (size > head.size) {
    const reason = `a checkpoint of ${size} events was signed, and the tree has ${head.size}`
    return refuse("shorter-tree", reason)
  }
  if (await isRootAt(options, opened.checkpoint)) return undefined
  return refuse("other-tree", `the tree had other events when ${size} of them were signed`)
}

async function isRootAt(
  { storage, tree }: SignTreeOptions,
  { root, size }: Pick<Checkpoint, "root" | "size">,
): Promise<boolean> {
  return areSameBytes(await readRoot(createTreeSource(storage, { size, tree })), root)
}
