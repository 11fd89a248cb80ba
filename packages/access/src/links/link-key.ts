/** A key that signs private links, made from random bytes. */
import { toHex, type LinkKey } from "@safelight/core"
import { toBase62Digits } from "../keys/base62.ts"

const ID_DIGITS = 8
const SECRET_BYTES = 32

/**
 * A key from random bytes: 32 for the secret, and 8 more below 248 for the id, so pass 64. Throws a
 * RangeError on too few.
 */
export function createLinkKey(randomBytes: Uint8Array, createdAt: number): LinkKey {
  const secretBytes = randomBytes.subarray(0, SECRET_BYTES)
  const id = toBase62Digits(randomBytes.subarray(SECRET_BYTES)).slice(0, ID_DIGITS)
  if (id.length < ID_DIGITS) throw new RangeError("too few random bytes for a link key")
  return { id, secret: toHex(secretBytes), createdAt }
}
