/**
 * Whether the database and its log are still the files that were opened. A file that is deleted while
 * it is open takes every write as before, and is gone with the last process that has it open. The
 * writing thread uses this file, so it imports nothing of ours.
 */
import { statSync } from "node:fs"

/**
 * Says which of the files is not where it was opened any more; undefined while all are. Throws where
 * the system does not tell, as on a disk that fails.
 */
export type FileWatch = () => string | undefined

/** Begins with the files as they are now. */
export function watchFiles(files: readonly string[]): FileWatch {
  const opened = files.map((file) => ({ file, identity: identify(file) }))
  return () => opened.find(({ file, identity }) => identify(file) !== identity)?.file
}

function identify(file: string): string | undefined {
  // As long as a file is open, no other one gets its number.
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
