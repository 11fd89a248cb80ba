/**
 * Proofs and roots from tiles. What a reader would get wrong: tiles are believed here, so a wrong tile makes a wrong
 * proof; who receives one verifies it.
 */
import { isTreeSize } from "../tree/hash-tree.ts"
import {
  listConsistencyRanges,
  listInclusionRanges,
  listSubtrees,
  type LeafRange,
} from "../tree/ranges.ts"
import { readSubtrees, type TreeSource } from "./read-subtrees.ts"

/**
 * The inclusion proof of a leaf in the tree of `source.size` leaves (RFC 9162 §2.1.3.1). Rejects with a RangeError if
 * the tree has no leaf `index`, or a tile is too short.
 */
export async function proveInclusion(
  source: TreeSource,
  index: number,
): Promise<readonly Uint8Array[]> {
  if (!isTreeSize(source.size) || !isTreeSize(index) || index >= source.size) {
    throw new RangeError(`a tree of ${source.size} leaves has no leaf ${index}`)
  }
  return readRanges(source, listInclusionRanges(index, source.size))
}

/**
 * The proof that the tree of `source.size` leaves extends the one of its first `firstSize` (RFC 9162 §2.1.4.1); empty
 * from 0, and for the same size. Rejects with a RangeError if it is larger, or a tile is too short.
 */
export async function proveConsistency(
  source: TreeSource,
  firstSize: number,
): Promise<readonly Uint8Array[]> {
  if (!isTreeSize(source.size) || !isTreeSize(firstSize) || firstSize > source.size) {
    throw new RangeError(`a tree of ${source.size} leaves does not extend one of ${firstSize}`)
  }
  return firstSize === 0 ? [] : readRanges(source, listConsistencyRanges(firstSize, source.size))
}

/** The root of the tree of `source.size` leaves. Rejects with a RangeError if a tile is too short. */
export async function readRoot(source: TreeSource): Promise<Uint8Array> {
  if (!isTreeSize(source.size)) throw new RangeError(`no tree has ${source.size} leaves`)
  if (source.size === 0) return source.tree.emptyRoot
  const [root] = await readRanges(source, [{ start: 0, end: source.size }])
  if (root === undefined) throw new TypeError("a range has no hash")
  return root
}

async function readRanges(
  source: TreeSource,
  ranges: readonly LeafRange[],
): Promise<readonly Uint8Array[]> {
  const parts = ranges.map(listSubtrees)
  const hashes = await readSubtrees(source, parts.flat())
  let place = 0
  return parts.map(({ length }) => {
    place += length
    return hashes
      .slice(place - length, place)
      .reduceRight((right, left) => source.tree.hashNode(left, right))
  })
}
