/** Whether an event has its leaf in a tree that was signed: RFC 9162 §2.1.3.2, as RFC 6962 §2.1 hashes it. */
import { areSame, fromBase64, hashParts, type Bytes } from "./bytes.ts"

export interface InclusionClaim {
  readonly task: string
  readonly version: number
  /** Of the event, 64 hexadecimal digits. */
  readonly hash: string
  /** Of its leaf, from 0. */
  readonly index: number
  /** Hashes in base64, from the leaf's neighbour up. */
  readonly proof: readonly string[]
}

export interface Tree {
  /** Leaves. */
  readonly size: number
  readonly root: Uint8Array
}

/** No proof is longer: a tree of as many leaves as this language counts is so many nodes high. */
const LONGEST_PROOF = 54
const HASH_BYTES = 32
/** Of these, padded. */
const HASH_CHARACTERS = 44

const LEAF = Uint8Array.of(0x00)
const NODE = Uint8Array.of(0x01)
const DOMAIN = "safelight:entry:1\n"

/** False for whatever does not prove it, after at most 55 hashes. The numbers are whole, and the texts texts. */
export function verifyInclusion(claim: InclusionClaim, { root, size }: Tree): boolean {
  const { index } = claim
  const proof = readProof(claim.proof)
  if (proof === undefined || index < 0 || index >= size) return false
  let [place, last] = [index, size - 1]
  let hash = hashLeaf(claim)
  for (const sibling of proof) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      hash = hashParts(NODE, sibling, hash)
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, halve(last)]
    } else {
      hash = hashParts(NODE, hash, sibling)
    }
    ;[place, last] = [halve(place), halve(last)]
  }
  return last === 0 && areSame(hash, root)
}

/** Undefined if it is too long, or one of them is no hash. */
function readProof(texts: readonly string[]): readonly Bytes[] | undefined {
  if (texts.length > LONGEST_PROOF) return undefined
  const hashes = texts.map((text) =>
    text.length === HASH_CHARACTERS ? fromBase64(text) : undefined,
  )
  return hashes.every((hash) => hash?.length === HASH_BYTES) ? (hashes as Bytes[]) : undefined
}

/** Of the entry that stands for the event: a line that names its format, and canonical JSON (RFC 8785). */
function hashLeaf({ hash, task, version }: InclusionClaim): Bytes {
  const entry = `{"hash":"${hash}","task":${JSON.stringify(task)},"version":${version}}`
  return hashParts(LEAF, DOMAIN, entry)
}

/** A shift would cut it to 32 bits. */
function halve(value: number): number {
  return Math.floor(value / 2)
}
