/**
 * A rendering's own folder among the machine's temporary ones: its media on the way in, its results
 * on the way out, so that neither has to be held in the memory of the process that serves. Nobody
 * else may open it, and it goes with the rendering; a process that is killed leaves it behind.
 */
import { constants } from "node:fs"
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

export interface WorkFolder {
  readonly path: string
  remove(): Promise<void>
}

export async function createWorkFolder(): Promise<WorkFolder> {
  const path = await mkdtemp(join(tmpdir(), "safelight-studio-"))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

export function toOutputFile(folder: string, index: number): string {
  return join(folder, `output-${index}`)
}

/** Far above what the studio makes: 30 seconds of 1080p are some 40 MB. */
const MOST_OUTPUT_BYTES = 512 * 1024 * 1024

/** A process that hostile media took over may have put anything there: a link is not followed. */
const READ_FLAGS =
  constants.O_RDONLY |
  (process.platform === "win32" ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK)

export async function readOutput(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const handle = await open(file, READ_FLAGS)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.size > MOST_OUTPUT_BYTES) throw new Error("no such output")
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
