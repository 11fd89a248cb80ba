/** Room where data and artifacts are kept, and whether they may be written. */
import { access, constants, stat, statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { toArtifactFolder } from "../data/open-places.ts"
import { formatSize } from "../text/size.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "disk"

/** Less than a large film with its copy. */
const LEAST_BYTES = 512 * 1024 * 1024
/** A day of a small service. */
const ENOUGH_BYTES = 5 * 1024 * 1024 * 1024
/** Each task makes some files and folders. */
const LEAST_FILES = 10_000

export async function checkDisk({ configuration }: Surroundings): Promise<readonly Finding[]> {
  const folders = await Promise.all(listFolders(configuration).map(findExisting))
  const measured = await Promise.all(folders.map(measure))
  // Folders on one file system share its room.
  const found = [...new Map(measured.toReversed().map((room) => [room.device, room])).values()]
  const words = found.map(({ folder, bytes }) => `${formatSize(bytes)} free for ${folder}`)
  return orElse(found.map(judge), ok(NAME, words.join(", ")))
}

function listFolders(configuration: Surroundings["configuration"]): readonly string[] {
  const folder = toArtifactFolder(configuration)
  return [configuration.data, ...(folder === undefined ? [] : [folder])]
}

/** The path, or the nearest above it that exists: there it will be made. */
async function findExisting(folder: string): Promise<string> {
  const isThere = (await stat(folder).catch(() => undefined)) !== undefined
  const above = dirname(folder)
  return isThere || above === folder ? folder : findExisting(above)
}

/** The path that would have to be written for a folder to be used, and may not; undefined if all is well. */
export async function findUnwritable(folder: string): Promise<string | undefined> {
  const existing = await findExisting(folder)
  try {
    await access(existing, constants.W_OK | constants.X_OK)
    return (await stat(existing)).isDirectory() ? undefined : existing
  } catch {
    // For whatever reason.
    return existing
  }
}

interface Room {
  readonly folder: string
  readonly device: number
  readonly bytes: number
  /** Files that may still be made; undefined where that is not bounded. */
  readonly files: number | undefined
}

async function measure(folder: string): Promise<Room> {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  const { dev: device } = await stat(folder)
  return { folder, device, bytes: bavail * bsize, files: files === 0 ? undefined : ffree }
}

function judge({ bytes, files = Infinity, folder }: Room): Finding | undefined {
  const advice = "free some, give it a larger disk, or keep artifacts for a shorter time"
  if (files < LEAST_FILES)
    return fault(NAME, `only ${files} files can be made in ${folder}`, advice)
  if (bytes >= ENOUGH_BYTES) return undefined
  const words = `only ${formatSize(bytes)} are free for ${folder}`
  return bytes < LEAST_BYTES ? fault(NAME, words, advice) : warning(NAME, words, advice)
}
