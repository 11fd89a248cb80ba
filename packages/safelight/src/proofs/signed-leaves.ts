/** The leaves of tasks under one checkpoint, as files for auditors have them. */
import type { ExportedLeaf, SignedExport } from "@safelight/audit"
import type { TreeStorage } from "@safelight/core"
import { createTreeSource, keepTiles, proveInclusion, toBase64 } from "@safelight/proof"
import { tree } from "./service-proofs.ts"

export interface LeafReaderOptions {
  readonly storage: Pick<TreeStorage, "readLeaves" | "readTile">
  /** Of the checkpoint. */
  readonly size: number
  readonly hasProofs: boolean
}

export function createLeafReader({
  hasProofs,
  size,
  storage,
}: LeafReaderOptions): SignedExport["readLeaves"] {
  const source = keepTiles(createTreeSource(storage, { size, tree }))

  async function toLeaf(index: number): Promise<ExportedLeaf> {
    if (!hasProofs) return { index }
    return { index, proof: (await proveInclusion(source, index)).map(toBase64) }
  }

  return async (task) => {
    const leaves = await storage.readLeaves(task)
    // Of a task the signed events are the first ones.
    return Promise.all(leaves.filter(({ index }) => index < size).map(({ index }) => toLeaf(index)))
  }
}
