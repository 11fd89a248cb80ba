/** Whether a leaf is in a tree: RFC 9162 §2.1.3.2. */
import { areSameBytes, isHash } from "../bytes/sha256.ts"
import { halve } from "./halve.ts"
import { isTreeSize, LONGEST_PROOF, type TreeHash } from "./hash-tree.ts"

export interface InclusionClaim {
  /** Of the leaf, 32 bytes. */
  readonly leafHash: Uint8Array
  /** From 0. */
  readonly index: number
  readonly size: number
  readonly root: Uint8Array
  /** Hashes, from the leaf's neighbour up. */
  readonly proof: readonly Uint8Array[]
}

/** False for anything that does not prove it, whatever the values are. Takes at most 54 hashes. */
export function verifyInclusion(tree: TreeHash, claim: InclusionClaim): boolean {
  const { index, leafHash, proof, root, size } = claim
  if (!isPossible(claim)) return false
  let [place, last] = [index, size - 1]
  let hash = leafHash
  for (const sibling of proof) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = tree.hashNode(sibling, hash)
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, halve(last)]
    } else {
      hash = tree.hashNode(hash, sibling)
    }
    ;[place, last] = [halve(place), halve(last)]
  }
  return last === 0 && areSameBytes(hash, root)
}

function isPossible({ index, leafHash, proof, root, size }: InclusionClaim): boolean {
  if (!isTreeSize(index) || !isTreeSize(size) || index >= size) return false
  return proof.length <= LONGEST_PROOF && [leafHash, root, ...proof].every(isHash)
}
