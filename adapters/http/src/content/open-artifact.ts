/**
 * An artifact's bytes, opened before the status is sent. If they can't be read, or are missing before
 * the artifact expires, the answer is a 503.
 */
import {
  isSafelightError,
  SafelightError,
  type ArtifactReader,
  type Artifact,
  type Log,
  type TaskService,
} from "@safelight/core"
import type { ByteRange } from "./ranges.ts"

export interface OpenOptions {
  readonly service: Pick<TaskService, "openArtifact">
  readonly log: Log
  readonly artifact: Artifact
  readonly range: ByteRange | undefined
}

/**
 * Opens bytes whose stored size is what the manifest says. Rejects with `artifacts-unavailable` if they
 * are missing or of another size, with a line in the log, and with what the storage rejects with.
 */
export async function openArtifact(options: OpenOptions): Promise<ArtifactReader> {
  const { service, log, artifact, range } = options
  const named = { task: artifact.task, artifact: artifact.key }
  let reader: ArtifactReader
  try {
    reader = await service.openArtifact({ artifact, ...range })
  } catch (error) {
    if (!isSafelightError(error) || error.code !== "artifact-missing") throw error
    // A 410 would tell clients that it is gone for good: that is true of what has expired alone.
    const message = "an artifact's bytes are missing before its time"
    log.error({ ...named, error }, "artifact missing")
    throw new SafelightError({ code: "artifacts-unavailable", message, cause: error })
  }
  if (reader.totalBytes === artifact.bytes) return reader
  await reader.close()
  const { totalBytes: bytes } = reader
  log.error({ ...named, bytes, expectedBytes: artifact.bytes }, "artifact size mismatch")
  const message = `an artifact has ${bytes} bytes and should have ${artifact.bytes}`
  throw new SafelightError({ code: "artifacts-unavailable", message })
}
