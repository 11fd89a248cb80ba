/** The digest of core's port, by Node's own one-shot SHA-256 over one reused buffer. */
import { hash } from "node:crypto"
import type { DigestPart } from "@safelight/core"

const scratch = Buffer.allocUnsafeSlow(16 * 1024)

/** SHA-256 over the concatenation of `parts`, as 64 lower-case hexadecimal digits. */
export function sha256(parts: readonly DigestPart[]): string {
  const [only] = parts
  if (parts.length === 1 && typeof only === "string") return hash("sha256", only)
  let needed = 0
  for (const part of parts) needed += maxBytes(part)
  if (needed > scratch.length) return hash("sha256", Buffer.concat(parts.map(toBytes)))
  let length = 0
  for (const part of parts) {
    length +=
      typeof part === "string"
        ? scratch.write(part, length, "utf8")
        : scratch.write(part.hex, length, "hex")
  }
  return hash("sha256", scratch.subarray(0, length))
}

/** UTF-8 takes at most three bytes a UTF-16 unit. */
function maxBytes(part: DigestPart): number {
  return typeof part === "string" ? part.length * 3 : part.hex.length / 2
}

function toBytes(part: DigestPart): Buffer {
  return typeof part === "string" ? Buffer.from(part, "utf8") : Buffer.from(part.hex, "hex")
}
