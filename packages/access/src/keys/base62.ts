/** Base62, for ids and secrets. Random bytes give fewer digits than there are bytes. */

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A digit for each random byte below 248; each digit is equally likely. */
export function toBase62Digits(randomBytes: Uint8Array): string {
  // 248 = 4 × 62: dropping what is above keeps every digit equally likely.
  return Array.from(randomBytes)
    .filter((byte) => byte < 248)
    .map((byte) => BASE62[byte % 62])
    .join("")
}
