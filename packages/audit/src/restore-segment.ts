/** Puts the tasks of a segment back into the database, part by part. A restore that was cut off is begun again. */
import {
  SafelightError,
  type ArchiveSegment,
  type ArtifactStorage,
  type Storage,
} from "@safelight/core"
import { findTableBytes, FOOTER_BYTES, readSeekTable, type Frame } from "./seek-table.ts"
import { toReadFailure } from "./read-failure.ts"
import { readRange } from "./read-range.ts"

export interface RestoreOptions {
  readonly storage: Pick<Storage, "dropSegment" | "restoreTasks">
  readonly artifacts: Pick<ArtifactStorage, "open" | "remove">
  readonly segment: ArchiveSegment
  /**
   * Whether the file is removed; false by default, since a backup of the database, or a copy that was adopted, may have
   * tasks in it.
   */
  readonly removesFile?: boolean
  readonly onProgress?: (progress: { readonly tasks: number }) => void
}

/**
 * Resolves to how many tasks were restored; then the segment is forgotten. Rejects as both storages do, and with
 * `storage-corrupt` if tasks are left in it: its file is damaged, or it is being written.
 */
export async function restoreSegment(options: RestoreOptions): Promise<number> {
  const { artifacts, onProgress, removesFile = false, segment, storage } = options
  let [offset, tasks] = [0, 0]
  for (const { bytes } of await readFrames(artifacts, segment)) {
    // oxlint-disable-next-line no-await-in-loop -- one part after the other
    tasks += await storage.restoreTasks({ segment: segment.id, offset, bytes })
    offset += bytes
    onProgress?.({ tasks })
  }
  if (!(await storage.dropSegment(segment.id))) throw unfinished(segment, tasks)
  if (removesFile) await artifacts.remove(segment.locator)
  return tasks
}

function unfinished({ id }: ArchiveSegment, tasks: number): SafelightError {
  const message = `segment ${id} of the archive has tasks that were not restored, beside ${tasks} that were: it is being written, or its file is damaged`
  return new SafelightError({ code: "storage-corrupt", message })
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
    throw toReadFailure(error, `segment ${id} of the archive`)
  }
}
