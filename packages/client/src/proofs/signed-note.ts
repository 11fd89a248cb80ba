/**
 * Signed notes as C2SP writes them: a text that ends with a newline, an empty line, and signature lines of the form
 * `— name base64(key id ‖ signature)`. Signatures by other keys than the trusted ones are ignored, as the specification
 * asks; a wrong one in the name of a trusted key refuses the note as a whole.
 */
import { encode, fromBase64, join, toHex, type Bytes } from "./bytes.ts"
import { isFault, toFault, type ProofFault } from "./proof-fault.ts"
import { isKeyName, type VerifierKey } from "./verifier-key.ts"
import { verifyEd25519 } from "./verify-ed25519.ts"

export interface OpenedNote {
  /** With its last newline. */
  readonly text: string
  /** One for each trusted key that signed it; at least one. */
  readonly signatures: readonly VerifiedSignature[]
}

export interface VerifiedSignature {
  readonly key: VerifierKey
  /** When a witness saw the note, in milliseconds, by its own clock; null for a key that signs no moment. */
  readonly seenAt: number | null
}

interface NoteSignature {
  readonly name: string
  readonly id: string
  readonly signature: Bytes
}

const MOST_NOTE_CHARACTERS = 128 * 1024
const MOST_SIGNATURES = 64

const ID_BYTES = 4
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64
const DASH = "\u2014 "

/** A fault is `malformed`, `too-large`, `forged` or `unsigned`. No two of the keys have one name and one id. */
export async function openNote(
  note: string,
  keys: readonly VerifierKey[],
): Promise<OpenedNote | ProofFault> {
  const parts = parseNote(note)
  if (isFault(parts)) return parts
  const signatures = new Map<VerifierKey, VerifiedSignature>()
  for (const signature of parts.signatures) {
    const key = keys.find(({ id, name }) => id === signature.id && name === signature.name)
    if (key === undefined) continue
    // oxlint-disable-next-line no-await-in-loop -- the first wrong one ends it
    const verified = await verifySignature(parts.text, signature, key)
    if (verified === undefined) return toFault("forged", `${key.name} did not make its signature`)
    if (!signatures.has(key)) signatures.set(key, verified)
  }
  if (signatures.size === 0) return toFault("unsigned", "no trusted key has signed the checkpoint")
  return { text: parts.text, signatures: [...signatures.values()] }
}

function parseNote(
  note: string,
): { readonly text: string; readonly signatures: readonly NoteSignature[] } | ProofFault {
  if (note.length > MOST_NOTE_CHARACTERS) return toFault("too-large", "the checkpoint is too long")
  // oxlint-disable-next-line no-control-regex -- all that are below U+0020 except the newline
  if (/[\u0000-\u0009\u000b-\u001f\p{Surrogate}]/u.test(note)) {
    return toFault("malformed", "the checkpoint has a control character, or is no text")
  }
  const end = note.lastIndexOf("\n\n")
  if (end <= 0 || !note.endsWith("\n")) {
    return toFault("malformed", "the checkpoint has no signatures")
  }
  const lines = note.slice(end + 2, -1).split("\n")
  if (lines.length > MOST_SIGNATURES) {
    return toFault("too-large", "the checkpoint has too many signatures")
  }
  const signatures = lines.map(parseSignature)
  if (!signatures.every((each) => each !== undefined)) {
    return toFault("malformed", "a line of a signature is none")
  }
  return { text: note.slice(0, end + 1), signatures }
}

function parseSignature(line: string): NoteSignature | undefined {
  if (!line.startsWith(DASH)) return undefined
  const [name = "", encoded = "", ...rest] = line.slice(DASH.length).split(" ")
  const bytes = fromBase64(encoded)
  if (rest.length > 0 || !isKeyName(name) || bytes === undefined) return undefined
  if (bytes.length <= ID_BYTES) return undefined
  return { name, id: toHex(bytes.subarray(0, ID_BYTES)), signature: bytes.subarray(ID_BYTES) }
}

/** Undefined if `key` did not make the signature. */
async function verifySignature(
  text: string,
  { signature }: NoteSignature,
  key: VerifierKey,
): Promise<VerifiedSignature | undefined> {
  const { isWitness, publicKey } = key
  const timeBytes = isWitness ? TIME_BYTES : 0
  if (signature.length !== timeBytes + SIGNATURE_BYTES) return undefined
  const seconds = isWitness
    ? new DataView(signature.buffer, signature.byteOffset).getBigUint64(0)
    : 0n
  const seenAt = Number(seconds) * 1000
  if (!Number.isSafeInteger(seenAt)) return undefined
  // Neither kind of signature passes for the other, and the moment can't be changed (C2SP tlog-cosignature).
  const prefix = encode(isWitness ? `cosignature/v1\ntime ${seconds}\n` : "")
  const message = join(prefix, encode(text))
  const isRight = await verifyEd25519({
    publicKey,
    message,
    signature: signature.subarray(timeBytes),
  })
  return isRight ? { key, seenAt: isWitness ? seenAt : null } : undefined
}
