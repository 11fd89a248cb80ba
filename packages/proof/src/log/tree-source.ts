/** The tiles that a storage keeps, as proofs are made from them. */
import { createBoundedCache, SafelightError, type TreeStorage } from "@safelight/core"
import type { TreeSource } from "../tiles/read-subtrees.ts"
import type { TreeHash } from "../tree/hash-tree.ts"

/** 8 KiB each. Proofs of neighbours need the same ones. */
const KEPT_TILES = 256

/** A hash each. */
const KEPT_SPANS = 16_384

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

/** The same for whoever makes many proofs of one tree: what neighbours have in common is read and hashed once. */
export function keepTiles(source: TreeSource): TreeSource {
  const tiles = createBoundedCache<Promise<Uint8Array>>(KEPT_TILES)
  return {
    ...source,
    spans: createBoundedCache<Uint8Array>(KEPT_SPANS),
    readTile(tile) {
      const name = `${tile.level}/${tile.index}`
      const known = tiles.get(name)
      if (known !== undefined) return known
      const reading = Promise.resolve(source.readTile(tile))
      tiles.set(name, reading)
      // Whoever asks for it again reads it again.
      reading.catch(() => tiles.delete(name))
      return reading
    },
  }
}
