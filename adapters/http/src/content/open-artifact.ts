/**
 * An artifact's bytes, opened before anything is answered: what can't be read, or is missing before
 * its time, is a 503, whatever a client's copy is worth.
 */
import {
  isSafelightError,
  SafelightError,
  type ArtifactReader,
  type ArtifactRow,
  type Log,
  type TaskService,
} from "@safelight/core"
import type { ByteRange } from "./ranges.ts"

export interface OpenOptions {
  readonly service: Pick<TaskService, "openArtifact">
  readonly log: Log
  readonly artifact: ArtifactRow
  readonly range: ByteRange | undefined
}

/** Opens bytes whose stored size is what the manifest says; tells the log where it is not. */
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
    log.error({ ...named, error }, message)
    throw new SafelightError({ code: "artifacts-unavailable", message, cause: error })
  }
  if (reader.totalBytes === artifact.bytes) return reader
  await reader.close()
  const message = `an artifact has ${reader.totalBytes} bytes and should have ${artifact.bytes}`
  log.error(named, message)
  throw new SafelightError({ code: "artifacts-unavailable", message })
}
