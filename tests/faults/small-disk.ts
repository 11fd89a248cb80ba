/**
 * A small disk of its own under a folder, which can really be filled: a file system in memory, which
 * only an administrator of a Linux machine may mount. Elsewhere there is none, and the wrapper in
 * `full-disk.ts` is all there is.
 */
import { execFile, execFileSync } from "node:child_process"
import { open, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

export interface SmallDisk extends AsyncDisposable {
  /** Writes until nothing more can be written. */
  fill(): Promise<void>
  free(): Promise<void>
}

/** Room for the files of some thousand tasks; what fills it is written in a moment. */
const SIZE = "64m"

const CHUNK = Buffer.alloc(256 * 1024, 1)

const run = promisify(execFile)

/** What is mounted goes with this process, also where a round was broken off. */
const mounted = new Set<string>()
process.on("exit", () => {
  for (const folder of mounted) execFileSync("umount", ["--lazy", folder])
})

/** Undefined where this process may not mount, or the machine knows no such thing. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | undefined> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder])
  } catch {
    // A container without the right to mount says so only by failing.
    return undefined
  }
  mounted.add(folder)
  const filler = join(folder, "filler")
  return {
    async fill() {
      const file = await open(filler, "w")
      try {
        for (let size = CHUNK.length; size >= 1;) {
          try {
            const { bytesWritten } = await file.write(CHUNK.subarray(0, size))
            if (bytesWritten < size) size = Math.floor(size / 2)
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
            size = Math.floor(size / 2)
          }
        }
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      // Also where a node that is being killed still has a file of it open.
      await run("umount", ["--lazy", folder])
      mounted.delete(folder)
    },
  }
}
