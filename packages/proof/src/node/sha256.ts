/** SHA-256 by Node's own one-shot function, which keeps nothing of what it hashed. */
import { hash } from "node:crypto"

/** 32 bytes; a text is hashed in UTF-8. */
export function sha256(data: Uint8Array | string): Uint8Array {
  // As text with a byte a character: Node makes a buffer of its own of nothing else three times as slowly.
  return Buffer.from(hash("sha256", data, "latin1"), "latin1")
}
