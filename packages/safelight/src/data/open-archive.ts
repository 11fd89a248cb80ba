/** Reads archived tasks for a command. Nothing is loaded or opened before the first of them is read. */
import { SILENT_LOG, type ArchiveReader } from "@safelight/core"
import type { ArtifactPlace } from "./open-places.ts"

export function openArchive(configuration: ArtifactPlace): ArchiveReader {
  let opening: Promise<ArchiveReader> | undefined

  async function open(): Promise<ArchiveReader> {
    const { createArchiveReader } = await import("@safelight/audit")
    const { sha256: digest, systemClock } = await import("@safelight/engine")
    const { createArtifacts } = await import("./open-places.ts")
    const options = { configuration, log: SILENT_LOG, clock: systemClock }
    const artifacts = await createArtifacts(options)
    return createArchiveReader({ artifacts, digest })
  }

  return {
    async read(request) {
      const reader = await (opening ??= open())
      return reader.read(request)
    },
  }
}
