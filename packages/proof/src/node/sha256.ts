/** SHA-256 by Node's own one-shot function, which keeps nothing of what it hashed. */
import { hash } from "node:crypto"

/** 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash("sha256", bytes, "buffer")
}
