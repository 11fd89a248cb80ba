/** Hexadecimal digits of hashes and of the ids of keys. */

/** `digits` are known to be hexadecimal, two a byte. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
