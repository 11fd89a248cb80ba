/** Hexadecimal digits of hashes and of the ids of keys. */
import { HASH_BYTES } from "./sha256.ts"

/** `digits` are known to be hexadecimal, two a byte. */
export function fromHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Whether a text is the 64 digits in lower case of a hash. By hand: a regular expression takes six times as long. */
export function isHashDigits(text: string): boolean {
  let areDigits = text.length === 2 * HASH_BYTES
  for (let place = 0; areDigits && place < text.length; place += 1) {
    areDigits = IS_DIGIT[text.charCodeAt(place)] === 1
  }
  return areDigits
}

/** By a character's code. */
const IS_DIGIT = new Uint8Array(128)
for (const digit of "0123456789abcdef") IS_DIGIT[digit.charCodeAt(0)] = 1
