/** The digest that core is handed, from the SHA-256 that this package is handed. */
import { toHex, type Digest } from "@safelight/core"
import { fromHex } from "./hex.ts"
import type { Sha256 } from "./sha256.ts"

export function toDigest(sha256: Sha256): Digest {
  const encoder = new TextEncoder()
  return (parts) => {
    const pieces = parts.map((part) =>
      typeof part === "string" ? encoder.encode(part) : fromHex(part.hex),
    )
    const whole = new Uint8Array(pieces.reduce((total, { length }) => total + length, 0))
    let end = 0
    for (const piece of pieces) {
      whole.set(piece, end)
      end += piece.length
    }
    return toHex(sha256(whole))
  }
}
