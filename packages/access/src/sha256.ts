/**
 * SHA-256 of a text. Node's own is asked first: WebCrypto does the same work in a pool of threads,
 * and the way there and back costs a small text more than its hash.
 */
const node = globalThis.process?.getBuiltinModule?.("node:crypto")

/** 64 lower-case hexadecimal digits, at once where it can. */
export function sha256(text: string): string | Promise<string> {
  return node === undefined ? digest(text) : node.hash("sha256", text, "hex")
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}
