/**
 * Checkpoints as C2SP tlog-checkpoint writes them: a note whose text is the log's origin, the tree's size, its root
 * in base64, and lines that only the log understands. One that is opened is what the log's key has signed. Whether it
 * extends another one is a consistency proof's to say.
 */
import { fromBase64, toBase64 } from "../bytes/base64.ts"
import { openNote, signNote, type OpenedNote } from "../notes/open-note.ts"
import type { NoteSigner, VerifiedSignature, VerifySignature } from "../notes/note-signature.ts"
import { isRefusal, refuse, type Refusal } from "../notes/refusal.ts"
import { formatNote, type SignedNote } from "../notes/signed-note.ts"
import type { VerifierKey } from "../notes/verifier-key.ts"
import { isHash } from "../bytes/sha256.ts"
import { isTreeSize } from "../tree/hash-tree.ts"

export interface Checkpoint {
  /** Names the log. One line; a host with a path, by convention. */
  readonly origin: string
  /** Leaves of the tree. */
  readonly size: number
  /** Of the tree, 32 bytes. */
  readonly root: Uint8Array
  /** Lines behind the root; none by convention, since no witness reads them. */
  readonly extensions: readonly string[]
}

export interface OpenCheckpointOptions {
  /** The log that it must be of. */
  readonly origin: string
  /** The log's own: one of them must have signed it. */
  readonly logKeys: readonly VerifierKey[]
  /** Trusted to have seen it; none by default. */
  readonly witnessKeys?: readonly VerifierKey[]
  readonly verify: VerifySignature
}

export interface OpenedCheckpoint {
  readonly checkpoint: Checkpoint
  /** One for each key of the log that signed it; at least one. */
  readonly logSignatures: readonly VerifiedSignature[]
  /** One for each witness that signed it. */
  readonly witnessSignatures: readonly VerifiedSignature[]
}

/** The text that is signed. Throws a TypeError for what a reader would refuse. */
export function formatCheckpoint({ extensions, origin, root, size }: Checkpoint): string {
  const text = `${[origin, size, toBase64(root), ...extensions].join("\n")}\n`
  const read = parseCheckpoint(text)
  if (isRefusal(read)) throw new TypeError(read.reason)
  if (read.origin !== origin || read.extensions.length !== extensions.length) {
    throw new TypeError("a line of a checkpoint has no newline")
  }
  return text
}

/** Reads the text of a note that was opened. Refuses as `malformed`. */
export function parseCheckpoint(text: string): Checkpoint | Refusal {
  const [origin = "", decimal = "", encoded = "", ...extensions] = text.slice(0, -1).split("\n")
  const size = /^(?:0|[1-9]\d{0,15})$/.test(decimal) ? Number(decimal) : Number.NaN
  const root = fromBase64(encoded)
  if (!text.endsWith("\n") || origin === "" || extensions.includes("")) {
    return refuse("malformed", "a line of the checkpoint is empty")
  }
  if (!isTreeSize(size)) return refuse("malformed", "the checkpoint's size is no number of leaves")
  if (root === undefined || !isHash(root)) {
    return refuse("malformed", "the checkpoint's root is no hash")
  }
  return { origin, size, root, extensions }
}

/** As a note. `now` is in milliseconds, and counts for cosigners alone. Rejects as `signNote` does. */
export async function signCheckpoint(
  checkpoint: Checkpoint,
  signers: readonly NoteSigner[],
  now: number,
): Promise<string> {
  let note: SignedNote = { text: formatCheckpoint(checkpoint), signatures: [] }
  // oxlint-disable-next-line no-await-in-loop -- each signs the note of the one before
  for (const signer of signers) note = await signNote(note, signer, now)
  return formatNote(note)
}

/** Refuses as `openNote` does, as `unsigned` without a signature of the log, and as `other-log` for another origin. */
export async function openCheckpoint(
  source: string | Uint8Array,
  { logKeys, origin, verify, witnessKeys = [] }: OpenCheckpointOptions,
): Promise<OpenedCheckpoint | Refusal> {
  const note = await openNote(source, { keys: [...logKeys, ...witnessKeys], verify })
  if (isRefusal(note)) return note
  const checkpoint = parseCheckpoint(note.text)
  if (isRefusal(checkpoint)) return checkpoint
  if (checkpoint.origin !== origin) {
    return refuse("other-log", `the checkpoint is of ${checkpoint.origin}`)
  }
  const logSignatures = selectSignatures(note, logKeys)
  if (logSignatures.length === 0) return refuse("unsigned", "the log has not signed the checkpoint")
  return { checkpoint, logSignatures, witnessSignatures: selectSignatures(note, witnessKeys) }
}

function selectSignatures(
  { signatures }: OpenedNote,
  keys: readonly VerifierKey[],
): VerifiedSignature[] {
  return signatures.filter(({ key }) =>
    keys.some(({ id, name }) => id === key.id && name === key.name),
  )
}
