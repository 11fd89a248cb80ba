/**
 * A UUID made from bytes such as a hash: the same bytes give the same id in every process and release. Six of
 * the bits are not the caller's, since a UUID states its version and variant in them (RFC 9562 §4).
 */
import { toHex } from "./to-hex.ts"

const UUID_BYTES = 16

/**
 * The UUID of the first 16 bytes, in lower case. Version 8 is the one for bytes of one's own making; 4 claims
 * that they are random, for systems that take no other. Throws a RangeError on fewer bytes.
 */
export function toUuid(bytes: Uint8Array, version: 4 | 8): string {
  if (bytes.length < UUID_BYTES) throw new RangeError("a UUID needs 16 bytes")
  const own = Uint8Array.from(bytes.subarray(0, UUID_BYTES))
  own[6] = ((own[6] ?? 0) & 0x0f) | (version << 4)
  own[8] = ((own[8] ?? 0) & 0x3f) | 0x80
  const digits = toHex(own)
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
  ]
  return [...parts, digits.slice(20)].join("-")
}
