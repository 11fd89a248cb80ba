/** SHA-256 by Node's own one-shot function, which keeps nothing of what it hashed. */
import { hash } from "node:crypto"

/** 32 bytes; a text is hashed in UTF-8. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return hash("sha256", data, "buffer")
}
