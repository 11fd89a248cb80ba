/** Hashes, keys and signatures as bytes and as texts. They are short: a text of any length would be copied whole. */
import { createSha256 } from "../artifacts/sha256.ts"

export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** SHA-256 of all parts, one behind the other; a text counts as its UTF-8. 32 bytes. */
export function hashParts(...parts: readonly (Uint8Array | string)[]): Bytes {
  const hash = createSha256()
  for (const part of parts) hash.update(typeof part === "string" ? encoder.encode(part) : part)
  return hash.digest()
}

export function encode(text: string): Bytes {
  return encoder.encode(text)
}

export function join(...parts: readonly Uint8Array[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

export function areSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place])
}

/** Two lower-case digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** `digits` are known to be hexadecimal, two a byte. */
export function fromHex(digits: string): Bytes {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/**
 * RFC 4648 §4, padded. Undefined for any other spelling of the same bytes: what has two could be altered without its
 * signature showing it.
 */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const characters = atob(text)
  if (btoa(characters) !== text) return undefined
  const bytes = new Uint8Array(characters.length)
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = characters.charCodeAt(place)
  return bytes
}
