/**
 * The root of a tree whose leaves come in any order. Leaves that stand side by side become one hash as soon as both are
 * there: a log that is read task by task, of which many run at a time, keeps only what lies between them in memory.
 */
import type { TreeHash } from "./hash-tree.ts"

export interface LeafGatherer {
  /** False if the leaf was given before. `index` is from 0. */
  add(index: number, leafHash: Uint8Array): boolean
  /** Of the tree of `size` leaves; undefined if other leaves were given than those from 0 to `size` − 1. */
  root(size: number): Uint8Array | undefined
}

export function createLeafGatherer(tree: TreeHash): LeafGatherer {
  /** By level and place: subtrees that are full, and whose neighbour is not. */
  const levels: Map<number, Uint8Array>[] = []

  function toLevel(level: number): Map<number, Uint8Array> {
    return (levels[level] ??= new Map())
  }

  /** Whether a subtree that was given has the leaf in it. */
  function isGiven(index: number): boolean {
    return levels.some((hashes, level) => hashes.has(Math.floor(index / 2 ** level)))
  }

  return {
    add(index, leafHash) {
      if (isGiven(index)) return false
      let [level, place, hash] = [0, index, leafHash]
      for (;;) {
        const hashes = toLevel(level)
        const neighbour = place % 2 === 0 ? place + 1 : place - 1
        const other = hashes.get(neighbour)
        if (other === undefined) {
          hashes.set(place, hash)
          return true
        }
        hashes.delete(neighbour)
        hash = place % 2 === 0 ? tree.hashNode(hash, other) : tree.hashNode(other, hash)
        ;[level, place] = [level + 1, Math.floor(place / 2)]
      }
    },
    root(size) {
      if (size === 0)
        return levels.every((hashes) => hashes.size === 0) ? tree.emptyRoot : undefined
      const subtrees = levels.map((_, level) => {
        const isThere = Math.floor(size / 2 ** level) % 2 === 1
        return isThere ? Math.floor(size / 2 ** level) - 1 : undefined
      })
      // The right-most first: each subtree further left is larger.
      const hashes = levels.flatMap((found, level) => {
        const place = subtrees[level]
        const hash = place === undefined ? undefined : found.get(place)
        return hash === undefined ? [] : [hash]
      })
      const needed = size.toString(2).replaceAll("0", "").length
      const given = levels.reduce((count, found) => count + found.size, 0)
      if (hashes.length !== needed || given !== needed) return undefined
      return hashes.reduce((right, left) => tree.hashNode(left, right))
    },
  }
}
