/**
 * Verifies a note against keys that its reader trusts, and signs one. Signatures by other keys are ignored, as the
 * specification asks: so witnesses and new keys can be added. A wrong one in the name of a trusted key refuses the
 * note as a whole.
 */
import {
  signText,
  verifyText,
  type NoteSigner,
  type VerifiedSignature,
  type VerifySignature,
} from "./note-signature.ts"
import { isRefusal, refuse, type Refusal } from "./refusal.ts"
import { formatNote, parseNote, type NoteSignature, type SignedNote } from "./signed-note.ts"
import type { VerifierKey } from "./verifier-key.ts"

export interface OpenNoteOptions {
  /** All that are trusted; no two of them have one name and one id. */
  readonly keys: readonly VerifierKey[]
  readonly verify: VerifySignature
}

export interface OpenedNote {
  /** With its last newline. */
  readonly text: string
  /** One for each trusted key that signed it, in the order of the note; at least one. */
  readonly signatures: readonly VerifiedSignature[]
}

/**
 * Refuses a note that is `malformed` or `too-large`, `forged` if a signature in the name of a trusted key is wrong,
 * and `unsigned` if there is none by a trusted key. Throws a TypeError if two different keys have one name and id.
 */
export async function openNote(
  source: string | Uint8Array,
  { keys, verify }: OpenNoteOptions,
): Promise<OpenedNote | Refusal> {
  const note = parseNote(source)
  if (isRefusal(note)) return note
  const known = nameKeys(keys)
  const signatures = new Map<string, VerifiedSignature>()
  for (const signature of note.signatures) {
    const key = known.get(toKeyName(signature))
    if (key === undefined) continue
    // oxlint-disable-next-line no-await-in-loop -- the first wrong one ends it
    const verified = await verifyText(note.text, signature, { key, verify })
    if (verified === undefined) return refuse("forged", `${key.name} did not make its signature`)
    if (!signatures.has(toKeyName(key))) signatures.set(toKeyName(key), verified)
  }
  if (signatures.size === 0) return refuse("unsigned", "no trusted key has signed the note")
  return { text: note.text, signatures: [...signatures.values()] }
}

/**
 * Adds the signer's signature, in place of one that it made before. `now` is in milliseconds, and counts for cosigners
 * alone. Rejects with a TypeError if the text can't be that of a note, and with the signer's own errors.
 */
export async function signNote(
  { signatures, text }: SignedNote,
  signer: NoteSigner,
  now: number,
): Promise<SignedNote> {
  const own = await signText(text, signer, now)
  const others = signatures.filter((each) => toKeyName(each) !== toKeyName(own))
  const note = { text, signatures: [...others, own] }
  const read = parseNote(formatNote(note))
  if (isRefusal(read) || read.text !== text) throw new TypeError("the text can't be that of a note")
  return note
}

function nameKeys(keys: readonly VerifierKey[]): ReadonlyMap<string, VerifierKey> {
  const known = new Map<string, VerifierKey>()
  for (const key of keys) {
    const other = known.get(toKeyName(key))
    if (other !== undefined && String(other.publicKey) !== String(key.publicKey)) {
      throw new TypeError(`two keys are named ${key.name}+${key.id}`)
    }
    known.set(toKeyName(key), key)
  }
  return known
}

function toKeyName({ id, name }: Pick<NoteSignature, "id" | "name">): string {
  return `${name}+${id}`
}
