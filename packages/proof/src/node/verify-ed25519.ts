/** Ed25519 (RFC 8032) by Node. */
import { createPublicKey, verify } from "node:crypto"
import type { VerifySignature } from "../notes/note-signature.ts"

/** False for anything that does not verify, a public key of another length too. */
export const verifyEd25519: VerifySignature = ({ message, publicKey, signature }) => {
  if (publicKey.length !== 32 || signature.length !== 64) return false
  const x = Buffer.from(publicKey).toString("base64url")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  return verify(null, message, key, signature)
}
