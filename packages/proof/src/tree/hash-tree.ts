/**
 * The hashes of a Merkle tree (RFC 6962 §2.1, RFC 9162 §2.1.1). A leaf and a node begin with another byte, so that
 * no node can be passed off as a leaf.
 */
import { HASH_BYTES, type Sha256 } from "../bytes/sha256.ts"

const LEAF_PREFIX = 0x00
const LEAF_TEXT = String.fromCharCode(LEAF_PREFIX)
const NODE_PREFIX = 0x01

export interface TreeHash {
  /** Of the tree without leaves. */
  readonly emptyRoot: Uint8Array
  /** The hash of a leaf that holds `entry`; a text holds its UTF-8. */
  hashLeaf(entry: Uint8Array | string): Uint8Array
  hashNode(left: Uint8Array, right: Uint8Array): Uint8Array
}

export function createTreeHash(sha256: Sha256): TreeHash {
  // One buffer for all nodes: there is a node a leaf, and none is hashed while another is.
  const node = new Uint8Array(1 + 2 * HASH_BYTES)
  node[0] = NODE_PREFIX
  return {
    emptyRoot: sha256(new Uint8Array(0)),
    hashLeaf(entry) {
      // Half the time of a copy: a log has a leaf for each event.
      if (typeof entry === "string") return sha256(`${LEAF_TEXT}${entry}`)
      const leaf = new Uint8Array(1 + entry.length)
      leaf[0] = LEAF_PREFIX
      leaf.set(entry, 1)
      return sha256(leaf)
    },
    hashNode(left, right) {
      node.set(left, 1)
      node.set(right, 1 + HASH_BYTES)
      return sha256(node)
    },
  }
}

/** The most leaves that a tree may have, by the numbers of this language. */
export const MOST_LEAVES = Number.MAX_SAFE_INTEGER

/** No proof is longer: a tree of `MOST_LEAVES` is so many nodes high, and a consistency proof one longer. */
export const LONGEST_PROOF = 54

export function isTreeSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0
}
