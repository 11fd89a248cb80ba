/**
 * What a key signs, by its type. A key of type `note` signs the text. One of type `cosignature` signs the text behind
 * two lines that name the moment, which also stands in the signature (C2SP tlog-cosignature): so the moment can't
 * be changed, and neither kind of signature passes for the other.
 */
import type { NoteSignature } from "./signed-note.ts"
import type { VerifierKey } from "./verifier-key.ts"

export interface NoteSigner {
  readonly key: VerifierKey
  /** Ed25519 over the message: 64 bytes. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** Ed25519 (RFC 8032). False for anything that does not verify; it never throws. */
export type VerifySignature = (request: {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}) => boolean | Promise<boolean>

export interface VerifiedSignature {
  readonly key: VerifierKey
  /** When a cosigner saw the note, in milliseconds, by its own clock; null for a key that signs no moment. */
  readonly seenAt: number | null
}

const SIGNATURE_BYTES = 64
const TIME_BYTES = 8

/** `now` is in milliseconds; a cosignature holds whole seconds. */
export async function signText(
  text: string,
  signer: NoteSigner,
  now: number,
): Promise<NoteSignature> {
  const { id, name, type } = signer.key
  if (type === "note") return { name, id, signature: await signer.sign(toBytes(text)) }
  const seconds = Math.floor(now / 1000)
  const signed = await signer.sign(toCosigned(text, BigInt(seconds)))
  const signature = new Uint8Array(TIME_BYTES + signed.length)
  new DataView(signature.buffer).setBigUint64(0, BigInt(seconds))
  signature.set(signed, TIME_BYTES)
  return { name, id, signature }
}

/** Undefined if `key` did not make the signature. */
export async function verifyText(
  text: string,
  { signature }: NoteSignature,
  { key, verify }: { readonly key: VerifierKey; readonly verify: VerifySignature },
): Promise<VerifiedSignature | undefined> {
  const { publicKey } = key
  if (key.type === "note") {
    if (signature.length !== SIGNATURE_BYTES) return undefined
    const isRight = await verify({ publicKey, message: toBytes(text), signature })
    return isRight ? { key, seenAt: null } : undefined
  }
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const seconds = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0)
  const seenAt = Number(seconds) * 1000
  if (!Number.isSafeInteger(seenAt)) return undefined
  const isRight = await verify({
    publicKey,
    message: toCosigned(text, seconds),
    signature: signature.subarray(TIME_BYTES),
  })
  return isRight ? { key, seenAt } : undefined
}

function toCosigned(text: string, seconds: bigint): Uint8Array {
  return toBytes(`cosignature/v1\ntime ${seconds}\n${text}`)
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
