/**
 * Makes a file for its owner alone (0600) that is either whole or absent: it is written under another name, synced,
 * then linked to its name, which fails if a file of that name has appeared. So no file is ever replaced, and a process
 * that is killed leaves nothing under the name.
 */
import { link, lstat, open, rename, rm, type FileHandle } from "node:fs/promises"
import { dirname } from "node:path"
import { syncFolder } from "@safelight/host"
import { CommandError, refused } from "../errors/command-error.ts"
import { EXIT } from "../errors/exit-code.ts"

export interface WholeFile {
  readonly path: string
  /** The option that names it: `--to`. */
  readonly option: string
  /** What writes it, in an error's words: `export`. */
  readonly writer: string
  /** Whether what was written stays beside the file, as `FILE.partial`, if the rest can't be; it does not by default. */
  readonly leavesPartial?: boolean
}

export interface UnfinishedFile {
  /** Its name until it is whole. */
  readonly path: string
  readonly handle: FileHandle
}

/** Where a file is until it is whole. */
export function toPartial(path: string): string {
  return `${path}.partial`
}

/** Rejects with a `CommandError` if there is a file of this name. */
export async function requireNoFile(file: Omit<WholeFile, "writer">): Promise<void> {
  const status = await lstat(file.path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw unwritable(file.path, error)
  })
  if (status !== undefined) throw taken(file)
}

/**
 * `fill` writes the file, and resolves to whether it is to be kept. Resolves once it is durable, or gone. Rejects with
 * the error of `fill` or of the disk, and leaves no file but the partial one that was asked for.
 */
export async function writeWholeFile(
  file: WholeFile,
  fill: (unfinished: UnfinishedFile) => Promise<boolean>,
): Promise<void> {
  const temporary = toPartial(file.path)
  // A file that an interrupted writer left may have another mode, or be a link.
  await rm(temporary, { force: true }).catch((error: unknown) => {
    throw unwritable(temporary, error)
  })
  const handle = await open(temporary, "wx", 0o600).catch((error: unknown) => {
    throw unwritable(temporary, error)
  })
  const { ino: inode } = await handle.stat()
  const discard = async (): Promise<void> => {
    if (file.leavesPartial === true) return
    if (await isOwn(temporary, inode)) await rm(temporary, { force: true })
  }
  try {
    let isKept = false
    try {
      isKept = await fill({ path: temporary, handle })
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (!isKept) return await discard()
    await requireOwn(temporary, inode, file)
    await giveName(temporary, file)
    await syncFolder(dirname(file.path))
  } catch (error) {
    await discard()
    throw error
  }
}

/** A rename would replace a file that has appeared since the check; a link can't. */
async function giveName(temporary: string, file: WholeFile): Promise<void> {
  try {
    await link(temporary, file.path)
    await rm(temporary)
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "EEXIST") throw taken(file)
    if (!LINKLESS.has(code)) throw unwritable(file.path, error)
    await renameOntoOwn(temporary, file)
  }
}

/** Errors of file systems without hard links, such as exFAT. */
const LINKLESS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** An empty file takes the name first. If the process is killed then, whoever reads it finds it empty. */
async function renameOntoOwn(temporary: string, file: WholeFile): Promise<void> {
  const own = await open(file.path, "wx", 0o600).catch((error: unknown) => {
    const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST"
    throw isTaken ? taken(file) : unwritable(file.path, error)
  })
  await own.close()
  await rename(temporary, file.path)
}

/** False after a second writer to the same name has replaced the unfinished file by its own. */
async function isOwn(temporary: string, inode: number): Promise<boolean> {
  const status = await lstat(temporary).catch(() => undefined)
  return status?.ino === inode
}

async function requireOwn(temporary: string, inode: number, { writer }: WholeFile): Promise<void> {
  if (await isOwn(temporary, inode)) return
  const message = `another ${writer} wrote to ${temporary} meanwhile; this one wrote nothing`
  throw new CommandError({ exitCode: EXIT.failed, message })
}

function taken({ option, path }: Omit<WholeFile, "writer">): CommandError {
  return refused(`${path} is there already; ${option} names another file`)
}

export function unwritable(path: string, cause: unknown): CommandError {
  const { code, message: words } = cause as NodeJS.ErrnoException
  const message = `${path} can't be written (${code ?? words})`
  return new CommandError({ exitCode: EXIT.failed, message, cause })
}
