/**
 * SHA-256 of a text on any host. Core sees no host, so it is handed in: `createTextDigest(globalThis)`.
 * Node's own is asked first: WebCrypto does the same work in a pool of threads, and the way there and
 * back costs a small text more than its hash.
 */
import { toHex } from "./to-hex.ts"

/** What Node has under these names, and every other host some of. */
export interface DigestHost {
  readonly process?: { getBuiltinModule?(id: "node:crypto"): NodeCrypto | undefined }
  readonly crypto: {
    readonly subtle: {
      digest(algorithm: "SHA-256", bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
    }
  }
  readonly TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> }
}

interface NodeCrypto {
  hash(algorithm: "sha256", text: string, encoding: "hex"): string
}

/** 64 lower-case hexadecimal digits, at once where it can. */
export type TextDigest = (text: string) => string | Promise<string>

export function createTextDigest(host: DigestHost): TextDigest {
  const node = host.process?.getBuiltinModule?.("node:crypto")
  if (node !== undefined) return (text) => node.hash("sha256", text, "hex")
  return async (text) => {
    const bytes = await host.crypto.subtle.digest("SHA-256", new host.TextEncoder().encode(text))
    return toHex(new Uint8Array(bytes))
  }
}
