/** Whether a tree begins with the leaves of an earlier one: RFC 9162 §2.1.4.2. */
import { areSameBytes, isHash } from "../bytes/sha256.ts"
import { halve } from "./halve.ts"
import { isTreeSize, LONGEST_PROOF, type TreeHash } from "./hash-tree.ts"

export interface ConsistencyClaim {
  readonly firstSize: number
  readonly firstRoot: Uint8Array
  readonly secondSize: number
  readonly secondRoot: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/**
 * False for anything that does not prove it, whatever the values are. Takes at most 108 hashes. Every tree extends
 * the empty one, and itself; both have an empty proof.
 */
export function verifyConsistency(tree: TreeHash, claim: ConsistencyClaim): boolean {
  const { firstRoot, firstSize, proof, secondRoot, secondSize } = claim
  if (!isTreeSize(firstSize) || !isTreeSize(secondSize) || firstSize > secondSize) return false
  if (proof.length > LONGEST_PROOF) return false
  if (![firstRoot, secondRoot, ...proof].every(isHash)) return false
  if (firstSize === secondSize) return proof.length === 0 && areSameBytes(firstRoot, secondRoot)
  if (firstSize === 0) return proof.length === 0 && areSameBytes(firstRoot, tree.emptyRoot)
  return isExtension(tree, claim)
}

function isExtension(tree: TreeHash, claim: ConsistencyClaim): boolean {
  const { firstRoot, firstSize, secondRoot, secondSize } = claim
  let [place, last] = [firstSize - 1, secondSize - 1]
  while (place % 2 === 1) [place, last] = [halve(place), halve(last)]
  // Of a full tree the root itself is where the proof begins, and it is known.
  const [start, ...rest] = place === 0 ? [firstRoot, ...claim.proof] : claim.proof
  if (start === undefined) return false
  let [first, second] = [start, start]
  for (const hash of rest) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      first = tree.hashNode(hash, first)
      second = tree.hashNode(hash, second)
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, halve(last)]
    } else {
      second = tree.hashNode(second, hash)
    }
    ;[place, last] = [halve(place), halve(last)]
  }
  return last === 0 && areSameBytes(first, firstRoot) && areSameBytes(second, secondRoot)
}
