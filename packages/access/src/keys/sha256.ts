/** SHA-256 of a key, by whichever way the host has. */
import { createTextDigest } from "@safelight/core"

export const sha256 = createTextDigest(globalThis)
