/** The tiles that a storage keeps, as proofs are made from them. */
import { SafelightError, type TreeStorage } from "@safelight/core"
import type { TreeSource } from "../tiles/read-subtrees.ts"
import type { TreeHash } from "../tree/hash-tree.ts"

/**
 * Of the tree of `size` leaves, which the storage's own must have had once. Reading rejects with `storage-corrupt` if a
 * tile is missing, and with the storage's errors.
 */
export function createTreeSource(
  storage: Pick<TreeStorage, "readTile">,
  { size, tree }: { readonly size: number; readonly tree: TreeHash },
): TreeSource {
  return {
    size,
    tree,
    async readTile({ index, level }) {
      const hashes = await storage.readTile({ level, index })
      if (hashes !== undefined) return hashes
      const message = `tile ${index} of level ${level} of the tree is missing`
      throw new SafelightError({ code: "storage-corrupt", message })
    },
  }
}
