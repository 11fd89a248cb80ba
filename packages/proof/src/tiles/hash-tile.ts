/** The root of a full tile, which is a hash of the tile above it. */
import { HASH_BYTES } from "../bytes/sha256.ts"
import type { TreeHash } from "../tree/hash-tree.ts"
import { TILE_BYTES } from "./tile.ts"

/** Throws a TypeError if the tile is not full. */
export function hashTile(tree: TreeHash, hashes: Uint8Array): Uint8Array {
  if (hashes.length !== TILE_BYTES) throw new TypeError(`a full tile has ${TILE_BYTES} bytes`)
  // A node takes the place of its children: each pass halves what is left.
  const nodes = hashes.slice()
  for (let width = TILE_BYTES; width > HASH_BYTES; width /= 2) {
    for (let at = 0; at < width; at += 2 * HASH_BYTES) {
      const right = at + HASH_BYTES
      const node = tree.hashNode(
        nodes.subarray(at, right),
        nodes.subarray(right, right + HASH_BYTES),
      )
      nodes.set(node, at / 2)
    }
  }
  return nodes.slice(0, HASH_BYTES)
}
