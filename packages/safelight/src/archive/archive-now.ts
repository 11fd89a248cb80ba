/** Moves to the archive what has ended long enough ago, under the newest checkpoint, and parts of the tree that are as old. */
import {
  archiveTasks,
  archiveTree,
  type ArchiveOptions,
  type ArchiveReport,
  type ArchiveSource,
} from "@safelight/audit"
import type { Storage, TreeStorage } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import { createLeafReader } from "@safelight/proof"
import { hashServiceTile as hashTile, tree } from "../proofs/service-proofs.ts"

export interface ArchiveNowOptions extends Pick<ArchiveOptions, "artifacts" | "onProgress"> {
  readonly storage: ArchiveSource &
    Pick<TreeStorage, "findCheckpoint" | "readTile"> &
    Pick<Storage, "archiveBundle" | "readBundle" | "readLeaves">
  /** Milliseconds. */
  readonly now: number
  readonly afterMs: number
}

export interface ArchiveNowReport extends ArchiveReport {
  /** Of the tree, that left the database. */
  readonly bundles: number
}

/** Undefined if no checkpoint was signed yet. Rejects as `archiveTasks` and `archiveTree` do. */
export async function archiveNow({
  afterMs,
  now,
  storage,
  ...options
}: ArchiveNowOptions): Promise<ArchiveNowReport | undefined> {
  const checkpoint = await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER })
  if (checkpoint === undefined) return undefined
  const { note, size } = checkpoint
  const readLeaves = createLeafReader({ storage, tree, size, hasProofs: true })
  const finishedBefore = now - afterMs
  const signed = { checkpoint: note, readLeaves }
  const report = await archiveTasks({ ...options, ...signed, storage, digest, now, finishedBefore })
  if (report.outcome === "busy") return { ...report, bundles: 0 }
  const { artifacts } = options
  const moved = await archiveTree({ storage, artifacts, hashTile, now, before: finishedBefore })
  return { ...report, bundles: moved.bundles, bytes: report.bytes + moved.bytes }
}
