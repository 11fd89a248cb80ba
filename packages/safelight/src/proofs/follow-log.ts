/**
 * Whether the log of a service only grows, as an outsider sees it: each checkpoint is compared with the last one that
 * was seen, by tiles of the service itself. A wrong tile proves nothing, so the service can't talk itself out of it.
 */
import {
  isRefusal,
  proveConsistency,
  verifyConsistency,
  type Checkpoint,
  type Refusal,
} from "@safelight/proof"
import { openNoteOf, type LogKeyList } from "./open-document.ts"
import type { RemoteLog } from "./remote-log.ts"
import { tree } from "./service-proofs.ts"

export interface SeenCheckpoint extends Checkpoint {
  readonly note: string
}

export type Look =
  | { readonly kind: "extended"; readonly checkpoint: SeenCheckpoint }
  /** The notes are signed: both together prove it to anybody. */
  | { readonly kind: "contradicted"; readonly why: string; readonly notes: readonly string[] }

/** Refuses a note of another log, or one that the log has not signed. */
export async function openSeen(note: string, keys: LogKeyList): Promise<SeenCheckpoint | Refusal> {
  const opened = await openNoteOf(note, keys)
  return isRefusal(opened) ? opened : { ...opened, note }
}

/** Rejects with `storage-unavailable` if the service does not answer, or has not what it must have. */
export async function lookAtLog(
  remote: RemoteLog,
  keys: LogKeyList,
  last: SeenCheckpoint | undefined,
): Promise<Look> {
  const note = await remote.readCheckpoint()
  const seen = await openSeen(note, keys)
  if (isRefusal(seen)) return { kind: "contradicted", why: seen.reason, notes: [note] }
  if (last === undefined) return { kind: "extended", checkpoint: seen }
  const notes = [last.note, note]
  if (seen.size < last.size) {
    const why = `the log had ${last.size} events, and now has ${seen.size}`
    return { kind: "contradicted", why, notes }
  }
  if (await isExtension(remote, last, seen)) return { kind: "extended", checkpoint: seen }
  const why = `the log of ${seen.size} events does not extend the one of ${last.size} that was seen before`
  return { kind: "contradicted", why, notes }
}

async function isExtension(
  { readTile }: RemoteLog,
  first: SeenCheckpoint,
  second: SeenCheckpoint,
): Promise<boolean> {
  const isSame = first.size === second.size
  const source = { tree, size: second.size, readTile }
  const proof = isSame ? [] : await proveShort(() => proveConsistency(source, first.size))
  return (
    proof !== undefined &&
    verifyConsistency(tree, {
      firstSize: first.size,
      firstRoot: first.root,
      secondSize: second.size,
      secondRoot: second.root,
      proof,
    })
  )
}

/** Undefined if a tile is too short: then the service has not what it signed. */
async function proveShort<Proof>(prove: () => Promise<Proof>): Promise<Proof | undefined> {
  try {
    return await prove()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
