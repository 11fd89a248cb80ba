/**
 * The hash of everything here. This package computes none itself, so that it runs wherever there is a SHA-256:
 * `@safelight/proof/node` has Node's. A hash is always its 32 bytes, never a text.
 */

/** SHA-256 of bytes, or of a text in UTF-8: 32 bytes. The bytes that were given may change once it has returned. */
export type Sha256 = (data: Uint8Array | string) => Uint8Array

export const HASH_BYTES = 32

export function isHash(hash: Uint8Array): boolean {
  return hash.length === HASH_BYTES
}

export function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) return false
  return true
}
