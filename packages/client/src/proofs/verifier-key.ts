/**
 * Public keys as C2SP signed-note writes them: `name+id+base64(type ‖ key)`. The id is made of the name and the key, so
 * neither can be exchanged for another unnoticed.
 */
import { fromBase64, hashParts, toHex, type Bytes } from "./bytes.ts"

export interface VerifierKey {
  /** As it was given. */
  readonly text: string
  readonly name: string
  /** 8 lower-case hexadecimal digits. */
  readonly id: string
  /** Whether it signs that a checkpoint was seen, and when (C2SP tlog-cosignature); others sign the note itself. */
  readonly isWitness: boolean
  /** Ed25519, 32 bytes (RFC 8032). */
  readonly publicKey: Bytes
}

const NOTE = 0x01
const COSIGNATURE = 0x04
const KEY_BYTES = 32
const ID_BYTES = 4

/** Longer than any name that is a host with a path; it bounds what is compared. */
const MOST_NAME_CHARACTERS = 300
/** Of a key as a whole, with its id and 44 digits. */
const MOST_KEY_CHARACTERS = 400

/** A name is not empty and has neither spaces nor a plus. */
export function isKeyName(name: string): boolean {
  if (name.length === 0 || name.length > MOST_NAME_CHARACTERS) return false
  return !/[\s+\u0085\p{Cc}\p{Surrogate}]/u.test(name)
}

/** Undefined for what is no such key, or has an id that is not its key's. */
export function parseVerifierKey(text: string): VerifierKey | undefined {
  if (typeof text !== "string" || text.length > MOST_KEY_CHARACTERS) return undefined
  // Base64 may have a plus too, so only the first two separate.
  const [, name = "", id = "", encoded = ""] = /^([^+]*)\+([^+]*)\+(.*)$/s.exec(text) ?? []
  const typed = readTyped(encoded)
  if (typed === undefined || !isKeyName(name)) return undefined
  if (toHex(hashParts(`${name}\n`, typed).subarray(0, ID_BYTES)) !== id) return undefined
  return { text, name, id, isWitness: typed[0] === COSIGNATURE, publicKey: typed.slice(1) }
}

/** A key behind its type; undefined if it is none of the types here. */
function readTyped(encoded: string): Bytes | undefined {
  const typed = fromBase64(encoded)
  if (typed?.length !== 1 + KEY_BYTES) return undefined
  return typed[0] === NOTE || typed[0] === COSIGNATURE ? typed : undefined
}
