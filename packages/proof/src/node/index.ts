/** The public names of `@safelight/proof/node`: SHA-256 and Ed25519 of Node, and the operator's key. */
export { sha256 } from "./sha256.ts"
export { verifyEd25519 } from "./verify-ed25519.ts"
export { createSignerKey, openSignerKey } from "./signer-key.ts"
