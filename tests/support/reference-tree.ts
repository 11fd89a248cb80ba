/**
 * Merkle trees written down from the definitions of RFC 6962 §2.1 (MTH, PATH, PROOF and SUBPROOF), recursively, over
 * leaf hashes: slow, and nothing of the package that is tested.
 */
import { createHash } from "node:crypto"

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export function leafHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.of(0), entry)
}

/** k: the largest power of two smaller than n. */
function largestPower(n: number): number {
  let k = 1
  while (2 * k < n) k *= 2
  return k
}

/** MTH(D[n]), over the hashes of leaves. */
export function treeHash(leaves: readonly Uint8Array[]): Buffer {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return Buffer.from(first)
  const k = largestPower(leaves.length)
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}

/** PATH(m, D[n]). */
export function inclusionPath(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length === 1) return []
  const k = largestPower(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m < k
    ? [...inclusionPath(m, left), treeHash(right)]
    : [...inclusionPath(m - k, right), treeHash(left)]
}

/** PROOF(m, D[n]). */
export function consistencyPath(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  return subproof(m, leaves, true)
}

function subproof(m: number, leaves: readonly Uint8Array[], isKnown: boolean): Buffer[] {
  if (m === leaves.length) return isKnown ? [] : [treeHash(leaves)]
  const k = largestPower(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m <= k
    ? [...subproof(m, left, isKnown), treeHash(right)]
    : [...subproof(m - k, right, false), treeHash(left)]
}
