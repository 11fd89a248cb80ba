/**
 * Public keys as C2SP signed-note writes them: `name+id+base64(type ‖ key)`, a vkey. The id is made of the name and
 * the key, so neither can be exchanged for another unnoticed.
 */
import { toHex } from "@safelight/core"
import { fromBase64, toBase64 } from "../bytes/base64.ts"
import type { Sha256 } from "../bytes/sha256.ts"
import { refuse, type Refusal } from "./refusal.ts"

/** What the key signs: a note (type 0x01), or that a checkpoint was seen (type 0x04, C2SP tlog-cosignature). */
export type KeyType = "note" | "cosignature"

export interface VerifierKey {
  readonly name: string
  /** 8 lower-case hexadecimal digits. */
  readonly id: string
  readonly type: KeyType
  /** Ed25519, 32 bytes (RFC 8032). */
  readonly publicKey: Uint8Array
}

const TYPE_BYTES: Readonly<Record<KeyType, number>> = { note: 0x01, cosignature: 0x04 }

const KEY_BYTES = 32

/** Longer than any name that is a host with a path; it bounds what is compared. */
const MOST_NAME_CHARACTERS = 300

/** A name is not empty and has neither spaces nor a plus; control characters are no part of a note at all. */
export function isKeyName(name: string): boolean {
  if (name.length === 0 || name.length > MOST_NAME_CHARACTERS) return false
  return name.isWellFormed() && !/[\s+\u0085\p{Cc}]/u.test(name)
}

/** Throws a TypeError if the name is none, or the key does not have 32 bytes. */
export function createVerifierKey(
  sha256: Sha256,
  { name, publicKey, type }: Omit<VerifierKey, "id">,
): VerifierKey {
  if (!isKeyName(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a key`)
  if (publicKey.length !== KEY_BYTES) throw new TypeError("an Ed25519 key has 32 bytes")
  const prefix = new TextEncoder().encode(`${name}\n`)
  const id = sha256(Uint8Array.from([...prefix, TYPE_BYTES[type], ...publicKey])).subarray(0, 4)
  return { name, id: toHex(id), type, publicKey }
}

export function toVerifierText({ id, name, publicKey, type }: VerifierKey): string {
  return `${name}+${id}+${toBase64(Uint8Array.from([TYPE_BYTES[type], ...publicKey]))}`
}

/** Refuses as `malformed` what is no vkey of a type above, or has an id that is not its key's. */
export function parseVerifierKey(sha256: Sha256, text: string): VerifierKey | Refusal {
  const [name = "", id = "", encoded = ""] = splitKey(text)
  const [typeByte, ...key] = fromBase64(encoded) ?? []
  const type = (["note", "cosignature"] as const).find((each) => TYPE_BYTES[each] === typeByte)
  if (type === undefined || key.length !== KEY_BYTES || !isKeyName(name)) {
    return refuse("malformed", "not a verifier key: name+id+base64, of an Ed25519 key")
  }
  const read = createVerifierKey(sha256, { name, type, publicKey: Uint8Array.from(key) })
  if (read.id === id) return read
  return refuse(
    "malformed",
    `the key of ${name} has the id ${read.id}, not the one that is written`,
  )
}

/** Base64 may have a plus too, so only the first two separate. */
function splitKey(text: string): string[] {
  const first = text.indexOf("+")
  const second = text.indexOf("+", first + 1)
  if (first === -1 || second === -1) return []
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)]
}
