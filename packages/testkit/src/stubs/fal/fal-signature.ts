/**
 * fal's signature of a webhook: Ed25519 over four lines, and the key set that it is verified with.
 * The set holds two keys, of which the second signs, and writes them as fal does: base64url that is
 * padded, which a strict reader refuses.
 */
import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto"

export interface FalSigner {
  /** The headers for a body that is signed at a moment. */
  sign(raw: string, at: number): Readonly<Record<string, string>>
  /** The body of `/.well-known/jwks.json`. */
  keySet(): unknown
  /** Signs with a new key from now on, and drops the one before from the set. */
  rotate(): void
}

const USER = "stub-user"

export function createSigner(): FalSigner {
  const other = generateKeyPairSync("ed25519")
  let current = generateKeyPairSync("ed25519")
  return {
    sign(raw, at) {
      const { request_id: id } = JSON.parse(raw) as { readonly request_id: string }
      const timestamp = String(Math.floor(at / 1_000))
      const digest = createHash("sha256").update(raw).digest("hex")
      const signed = Buffer.from([id, USER, timestamp, digest].join("\n"))
      return {
        "x-fal-webhook-request-id": id,
        "x-fal-webhook-user-id": USER,
        "x-fal-webhook-timestamp": timestamp,
        "x-fal-webhook-signature": sign(null, signed, current.privateKey).toString("hex"),
      }
    },
    keySet: () => ({ keys: [toKey(other.publicKey), toKey(current.publicKey)] }),
    rotate() {
      current = generateKeyPairSync("ed25519")
    },
  }
}

function toKey(key: KeyObject): Readonly<Record<string, unknown>> {
  const { kty, crv, x = "" } = key.export({ format: "jwk" })
  return { kty, crv, x: x.padEnd(Math.ceil(x.length / 4) * 4, "="), use: "sig" }
}
