/** Moves to the archive what has ended long enough ago, under the newest checkpoint. */
import {
  archiveTasks,
  type ArchiveOptions,
  type ArchiveReport,
  type ArchiveSource,
} from "@safelight/audit"
import type { Storage, TreeStorage } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import { createLeafReader } from "@safelight/proof"
import { tree } from "../proofs/service-proofs.ts"

export interface ArchiveNowOptions extends Pick<ArchiveOptions, "artifacts" | "onProgress"> {
  readonly storage: ArchiveSource &
    Pick<TreeStorage, "findCheckpoint" | "readTile"> &
    Pick<Storage, "readLeaves">
  /** Milliseconds. */
  readonly now: number
  readonly afterMs: number
}

/** Undefined if no checkpoint was signed yet. Rejects as `archiveTasks` does. */
export async function archiveNow({
  afterMs,
  now,
  storage,
  ...options
}: ArchiveNowOptions): Promise<ArchiveReport | undefined> {
  const checkpoint = await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER })
  if (checkpoint === undefined) return undefined
  const { note, size } = checkpoint
  const readLeaves = createLeafReader({ storage, tree, size, hasProofs: true })
  const finishedBefore = now - afterMs
  const signed = { checkpoint: note, readLeaves }
  return archiveTasks({ ...options, ...signed, storage, digest, now, finishedBefore })
}
