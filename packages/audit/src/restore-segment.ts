/** Puts the tasks of a segment back into the database, part by part. A restore that was cut off is begun again. */
import {
  SafelightError,
  type ArchiveSegment,
  type ArtifactStorage,
  type Digest,
  type Storage,
} from "@safelight/core"
import { checkStream } from "./check-stream.ts"
import { findTableBytes, FOOTER_BYTES, readSeekTable, type Frame } from "./seek-table.ts"
import { createArchiveReader, readRange, toReadFailure } from "./segment-reader.ts"

export interface RestoreOptions {
  readonly storage: Pick<Storage, "dropSegment" | "restoreTasks">
  readonly artifacts: Pick<ArtifactStorage, "open" | "remove">
  readonly digest: Digest
  readonly segment: ArchiveSegment
  /** Whether the file stays, since another database may have tasks in it; false by default. */
  readonly keepsFile?: boolean
  readonly onProgress?: (progress: { readonly tasks: number }) => void
}

/**
 * Resolves to how many tasks were restored; then the segment is forgotten, and its file is removed. Every chain of a part
 * is proved before the part is restored. Rejects as both storages do, and with `storage-corrupt` if the file is not the
 * segment, or a chain in it is not whole.
 */
export async function restoreSegment(options: RestoreOptions): Promise<number> {
  const { artifacts, digest, keepsFile = false, onProgress, segment, storage } = options
  const reader = createArchiveReader({ artifacts: async () => artifacts })
  let [offset, tasks] = [0, 0]
  for (const { bytes } of await readFrames(artifacts, segment)) {
    // oxlint-disable-next-line no-await-in-loop -- one part after the other
    for (const { events, task: id } of await reader.read({ segment, offset, bytes })) {
      const checked = checkStream({ id, events }, digest)
      if (checked.kind === "faulty") throw damaged(segment, checked.words)
    }
    // oxlint-disable-next-line no-await-in-loop -- see above
    tasks += await storage.restoreTasks({ segment: segment.id, offset, bytes })
    offset += bytes
    onProgress?.({ tasks })
  }
  await storage.dropSegment(segment.id)
  if (!keepsFile) await artifacts.remove(segment.locator)
  return tasks
}

function damaged({ id }: ArchiveSegment, words: string): SafelightError {
  return new SafelightError({ code: "storage-corrupt", message: `segment ${id}: ${words}` })
}

async function readFrames(
  artifacts: Pick<ArtifactStorage, "open">,
  { bytes, id, locator }: ArchiveSegment,
): Promise<readonly Frame[]> {
  try {
    const end = bytes - 1
    const footer = await readRange(artifacts, { locator, start: bytes - FOOTER_BYTES, end })
    const tableBytes = findTableBytes(footer) ?? Infinity
    if (tableBytes > bytes) throw new RangeError("it has no table of its frames")
    const table = await readRange(artifacts, { locator, start: bytes - tableBytes, end })
    return readSeekTable(table)
  } catch (error) {
    throw toReadFailure(error, id)
  }
}
