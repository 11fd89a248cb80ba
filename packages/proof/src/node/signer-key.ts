/**
 * An operator's private key, as Go's `note` package writes it: `PRIVATE+KEY+name+id+base64(0x01 ‖ seed)`. So other
 * tools for transparency logs can use it. What a reader would get wrong: it is a secret in plain text.
 */
import { createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from "node:crypto"
import { fromBase64, toBase64 } from "../bytes/base64.ts"
import type { NoteSigner } from "../notes/note-signature.ts"
import { refuse, type Refusal } from "../notes/refusal.ts"
import { createVerifierKey, isKeyName } from "../notes/verifier-key.ts"
import { sha256 } from "./sha256.ts"

const PREFIX = "PRIVATE+KEY+"
const TYPE_BYTE = 0x01
const SEED_BYTES = 32

/** What stands before the seed in PKCS #8 (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex")

/** A new private key of this name, from the system's randomness. Throws a TypeError if the name is none. */
export function createSignerKey(name: string): string {
  const seed = randomBytes(SEED_BYTES)
  const { key } = createSigner(name, seed)
  return `${PREFIX}${key.name}+${key.id}+${toBase64(Uint8Array.from([TYPE_BYTE, ...seed]))}`
}

/** Refuses as `malformed` what is no private key, or has an id that is not its own. */
export function openSignerKey(text: string): NoteSigner | Refusal {
  const [, name = "", id = "", encoded = ""] =
    /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? []
  const [type, ...seed] = fromBase64(encoded) ?? []
  if (!isKeyName(name) || type !== TYPE_BYTE || seed.length !== SEED_BYTES) {
    return refuse("malformed", "not a private key: PRIVATE+KEY+name+id+base64, of an Ed25519 key")
  }
  const signer = createSigner(name, Uint8Array.from(seed))
  if (signer.key.id === id) return signer
  return refuse("malformed", `the private key of ${name} does not have the id that is written`)
}

function createSigner(name: string, seed: Uint8Array): NoteSigner {
  const der = Buffer.concat([PKCS8_PREFIX, seed])
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  const publicKey = toPublicBytes(privateKey)
  return {
    key: createVerifierKey(sha256, { name, type: "note", publicKey }),
    sign: (message) => sign(null, message, privateKey),
  }
}

function toPublicBytes(privateKey: KeyObject): Uint8Array {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" })
  return Uint8Array.from(Buffer.from(x ?? "", "base64url"))
}
