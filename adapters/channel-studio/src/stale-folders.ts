/**
 * Folders of renderings whose process is gone. The name of a folder says where it was made (on which
 * machine since which start, among which process numbers), by which process, and when that one began.
 * A number from elsewhere identifies no process, so such a folder is removed only by its age.
 */
import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { lstat, readdir, rm } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import process from "node:process"

const PREFIX = "safelight-studio-"
const NAME = new RegExp(`^${PREFIX}([0-9a-f]{16})-([1-9][0-9]{0,9})-([0-9]{1,20})-`)

/** No rendering waits that long for a process, and none takes an hour. The machine's own clock dates files. */
const STALE_MS = 24 * 60 * 60 * 1000

/** What the names of this process's folders begin with. */
export function toFolderPrefix(): string {
  const begun = readBeginning(process.pid) ?? "0"
  return `${PREFIX}${identifySurroundings()}-${process.pid}-${begun}-`
}

/** Removes this user's folders that nobody needs any more. `warn` gets each failure, and the rest are still removed. */
export async function removeStaleFolders(
  parent: string,
  warn: (error: unknown) => void,
): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  const surroundings = identifySurroundings()
  for (const name of names) {
    const [, where, pid, begun] = NAME.exec(name) ?? []
    if (where === undefined) continue
    const isGone = where === surroundings && !isRunning(Number(pid), begun)
    try {
      // oxlint-disable-next-line no-await-in-loop
      await removeStale(join(parent, name), isGone)
    } catch (error) {
      warn(error)
    }
  }
}

async function removeStale(path: string, isGone: boolean): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isDirectory() !== true) return
  // Windows knows no such number, and its temporary folder is the user's own.
  if (process.getuid !== undefined && stats.uid !== process.getuid()) return
  if (!isGone && Date.now() - stats.mtimeMs < STALE_MS) return
  await rm(path, { recursive: true, force: true })
}

/** If the system does not tell when a process began, another one may have the number by now. */
function isRunning(pid: number, begun: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const found = readBeginning(pid)
  return found === undefined || found === begun
}

/** In ticks since the machine started; undefined where the system does not tell. */
function readBeginning(pid: number): string | undefined {
  const line = read(() => readFileSync(`/proc/${pid}/stat`, "latin1"))
  // The name of the program, in brackets, may hold spaces and brackets too: it is the second of 52.
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[19]
}

/** Processes with the same one see each other under the same numbers. */
function identifySurroundings(): string {
  const parts = [
    hostname(),
    read(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")),
    read(() => readlinkSync("/proc/self/ns/pid")),
  ]
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16)
}

/** Empty on any system but Linux. */
function read(source: () => string): string {
  try {
    return source()
  } catch {
    return ""
  }
}
