/** Reads archived tasks for a command. Nothing is loaded or opened before the first of them is read. */
import { SILENT_LOG, type ArchiveReader } from "@safelight/core"
import type { ArtifactPlace } from "./open-places.ts"

export function openArchive(configuration: ArtifactPlace): ArchiveReader {
  let opening: Promise<ArchiveReader> | undefined

  async function open(): Promise<ArchiveReader> {
    const { createArchiveReader } = await import("@safelight/audit")
    const { sha256: digest, systemClock } = await import("@safelight/engine")
    const { hashServiceTile: hashTile } = await import("../proofs/service-proofs.ts")
    const { createArtifacts } = await import("./open-places.ts")
    const options = { configuration, log: SILENT_LOG, clock: systemClock }
    const artifacts = await createArtifacts(options)
    return createArchiveReader({ artifacts, digest, hashTile })
  }

  async function find(): Promise<ArchiveReader> {
    return (opening ??= open())
  }

  return {
    read: async (request) => (await find()).read(request),
    readTile: async (request) => (await find()).readTile(request),
    readRuns: async (request) => (await find()).readRuns(request),
  }
}
