/**
 * Checkpoints as C2SP tlog-checkpoint writes them: a signed note whose text is the log's origin, the number of leaves of
 * its tree, and the root in base64. One that is opened is what the log's key has signed.
 */
import { fromBase64, type Bytes } from "./bytes.ts"
import { isFault, toFault, type ProofFault } from "./proof-fault.ts"
import { openNote } from "./signed-note.ts"
import type { TrustedKeys } from "./trusted-keys.ts"
import type { VerifierKey } from "./verifier-key.ts"

export interface OpenedCheckpoint {
  readonly origin: string
  /** Leaves of the tree. */
  readonly size: number
  /** 32 bytes. */
  readonly root: Bytes
  /** Of the log, that signed it; at least one. */
  readonly keys: readonly VerifierKey[]
  /** When the first of the witnesses saw it, in milliseconds; null if no trusted one did. */
  readonly seenAt: number | null
}

const HASH_BYTES = 32

/** Of a foreign log, as far as a reason names it: no key has a longer name. */
const MOST_ORIGIN_CHARACTERS = 300

/** A fault is one of `openNote`, or `other-log`. */
export async function openCheckpoint(
  source: string,
  { logKeys, origin, witnessKeys }: TrustedKeys,
): Promise<OpenedCheckpoint | ProofFault> {
  const note = await openNote(source, [...logKeys, ...witnessKeys])
  if (isFault(note)) return note
  const checkpoint = parseCheckpoint(note.text)
  if (isFault(checkpoint)) return checkpoint
  if (checkpoint.origin !== origin) {
    const named = checkpoint.origin.slice(0, MOST_ORIGIN_CHARACTERS)
    return toFault("other-log", `the checkpoint is of ${named}, and not of ${origin}`)
  }
  const keys = note.signatures.map(({ key }) => key).filter(({ isWitness }) => !isWitness)
  if (keys.length === 0) return toFault("unsigned", "the log has not signed the checkpoint")
  const moments = note.signatures.flatMap(({ seenAt }) => seenAt ?? [])
  return { ...checkpoint, keys, seenAt: moments.length === 0 ? null : Math.min(...moments) }
}

function parseCheckpoint(
  text: string,
): Pick<OpenedCheckpoint, "origin" | "root" | "size"> | ProofFault {
  const [origin = "", decimal = "", encoded = "", ...extensions] = text.slice(0, -1).split("\n")
  const size = /^(?:0|[1-9]\d{0,15})$/.test(decimal) ? Number(decimal) : Number.NaN
  const root = fromBase64(encoded)
  if (origin === "" || extensions.includes("")) {
    return toFault("malformed", "a line of the checkpoint is empty")
  }
  if (!Number.isSafeInteger(size)) {
    return toFault("malformed", "the checkpoint's size is no number of events")
  }
  if (root?.length !== HASH_BYTES) {
    return toFault("malformed", "the checkpoint's root is no hash")
  }
  return { origin, size, root }
}
