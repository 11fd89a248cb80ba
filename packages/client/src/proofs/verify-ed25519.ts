/**
 * Ed25519 (RFC 8032) by Web Crypto. Browsers have it on secure pages only, and older ones lack this algorithm; then there
 * is nothing to verify with, which is an error and not a wrong signature.
 */
import { clientError } from "../connection/api-error.ts"
import type { Bytes } from "./bytes.ts"

export interface SignedMessage {
  /** 32 bytes. */
  readonly publicKey: Bytes
  readonly message: Bytes
  /** 64 bytes. */
  readonly signature: Bytes
}

/** Rejects with `no_ed25519` if the runtime, or the page, has none. */
export async function verifyEd25519(signed: SignedMessage): Promise<boolean> {
  const { subtle } = (globalThis.crypto ?? {}) as Partial<Crypto>
  if (subtle === undefined) {
    throw clientError("no_ed25519", "Web Crypto is missing: a browser has it on secure pages alone")
  }
  try {
    const key = await subtle.importKey("raw", signed.publicKey, "Ed25519", false, ["verify"])
    return await subtle.verify("Ed25519", key, signed.signature, signed.message)
  } catch (cause) {
    // A key that is no point of the curve has signed nothing.
    if (cause instanceof DOMException && cause.name === "DataError") return false
    throw clientError("no_ed25519", "this runtime's Web Crypto has no Ed25519", { cause })
  }
}
