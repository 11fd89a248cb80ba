/** The leaves of tasks under one checkpoint, as files for auditors have them. */
import type { TreeStorage } from "@safelight/core"
import { toBase64 } from "../bytes/base64.ts"
import { proveInclusion } from "../tiles/prove.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { createTreeSource, keepTiles } from "./tree-source.ts"

export interface LeafReaderOptions {
  readonly storage: Pick<TreeStorage, "readLeaves" | "readTile">
  readonly tree: TreeHash
  /** Of the checkpoint. */
  readonly size: number
  readonly hasProofs: boolean
}

export interface SignedLeaf {
  /** From 0. */
  readonly index: number
  /** Hashes in base64, from the leaf's neighbour up. */
  readonly proof?: readonly string[]
}

/** Reads those of a task's events, in order, as far as the checkpoint has them. Rejects as `proveTask` does. */
export function createLeafReader({
  hasProofs,
  size,
  storage,
  tree,
}: LeafReaderOptions): (task: string) => Promise<readonly SignedLeaf[]> {
  const source = keepTiles(createTreeSource(storage, { size, tree }))

  async function toLeaf(index: number): Promise<SignedLeaf> {
    if (!hasProofs) return { index }
    return { index, proof: (await proveInclusion(source, index)).map(toBase64) }
  }

  return async (task) => {
    const leaves = await storage.readLeaves(task)
    // Of a task the signed events are the first ones.
    return Promise.all(leaves.filter(({ index }) => index < size).map(({ index }) => toLeaf(index)))
  }
}
