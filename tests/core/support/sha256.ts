/** SHA-256 for the tests of core, which computes none itself: the port's words, Node's hash. */
import { createHash } from "node:crypto"
import type { Digest } from "@safelight/core"

export const sha256: Digest = (parts) => {
  const hash = createHash("sha256")
  for (const part of parts) {
    if (typeof part === "string") hash.update(part, "utf8")
    else hash.update(part.hex, "hex")
  }
  return hash.digest("hex")
}
