/**
 * A rendering's own folder among the machine's temporary ones: its media on the way in, its results
 * on the way out, so that neither has to be held in the memory of the process that serves. Nobody
 * else may open it, and it goes with the rendering. A process that is killed leaves its folders
 * behind, for `removeStaleFolders` of the next one.
 */
import { constants } from "node:fs"
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import type { Log } from "@safelight/core"
import { createUnavailable } from "./machine-trouble.ts"
import { toDetail } from "./rendering-job.ts"
import { removeStaleFolders, toFolderPrefix } from "./stale-folders.ts"

export interface WorkFolder {
  readonly path: string
  /** Never rejects: the next process removes what is left. */
  remove(): Promise<void>
}

/** Rejects with `channel-unavailable`; the first call removes what former processes left. */
export type CreateWorkFolder = () => Promise<WorkFolder>

export function createWorkFolders(log: Log): CreateWorkFolder {
  let swept: Promise<void> | undefined

  function warn(error: unknown): void {
    log.warn({ detail: toDetail(error) }, "temporary folder not removed")
  }

  return async () => {
    swept ??= removeStaleFolders(tmpdir(), warn)
    await swept
    try {
      const path = await mkdtemp(join(tmpdir(), toFolderPrefix()))
      return { path, remove: () => rm(path, { recursive: true, force: true }).catch(warn) }
    } catch (cause) {
      throw createUnavailable("no temporary folder can be made", cause)
    }
  }
}

export function toOutputFile(folder: string, index: number): string {
  return join(folder, `output-${index}`)
}

/** Far above what the studio makes: 30 seconds of 1080p are some 40 MB. */
export const MOST_OUTPUT_BYTES = 512 * 1024 * 1024

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
