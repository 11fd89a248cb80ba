/**
 * Writes an export to a file for its owner alone (0600), since it holds prompts and the secrets that sign links.
 * The file is either whole or absent: it is written under another name, synced, then linked to its name, which
 * fails if a file of that name has appeared. So no file is ever replaced.
 */
import { link, lstat, open, rename, rm, type FileHandle } from "node:fs/promises"
import { dirname } from "node:path"
import { syncFolder } from "@safelight/host"
import { CommandError, refused } from "../errors/command-error.ts"
import { EXIT } from "../errors/exit-code.ts"

/** Lines are small; a write of this size costs no more than one of a line. */
const GATHER_BYTES = 256 * 1024

/** The option of `safelight export` that names the file; other commands have their own. */
const OPTION = "--to"

/** Rejects with a `CommandError` if there is a file of this name. */
export async function requireNoFile(path: string, option = OPTION): Promise<void> {
  const status = await lstat(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw unwritable(path, error)
  })
  if (status !== undefined) throw taken(path, option)
}

/** Resolves once the file is durable. Rejects with the error of the lines or of the disk, and leaves no file. */
export async function writeExportFile(
  path: string,
  lines: AsyncIterable<Uint8Array | string>,
  option = OPTION,
): Promise<void> {
  const temporary = `${path}.partial`
  // A file that an interrupted export left may have another mode, or be a link.
  await rm(temporary, { force: true }).catch((error: unknown) => {
    throw unwritable(temporary, error)
  })
  const file = await open(temporary, "wx", 0o600).catch((error: unknown) => {
    throw unwritable(temporary, error)
  })
  const { ino: inode } = await file.stat()
  try {
    try {
      for await (const text of gather(lines)) await write(file, text, path)
      await file.sync()
    } finally {
      await file.close()
    }
    await requireOwn(temporary, inode)
    await giveName(temporary, path, option)
    await syncFolder(dirname(path))
  } catch (error) {
    if (await isOwn(temporary, inode)) await rm(temporary, { force: true })
    throw error
  }
}

/** A rename would replace a file that has appeared since the check; a link can't. */
async function giveName(temporary: string, path: string, option: string): Promise<void> {
  try {
    await link(temporary, path)
    await rm(temporary)
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "EEXIST") throw taken(path, option)
    if (!LINKLESS.has(code)) throw unwritable(path, error)
    await renameOntoOwn(temporary, path, option)
  }
}

/** Errors of file systems without hard links, such as exFAT. */
const LINKLESS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** An empty file takes the name first. If the process is killed then, `import` refuses the empty file. */
async function renameOntoOwn(temporary: string, path: string, option: string): Promise<void> {
  const own = await open(path, "wx", 0o600).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === "EEXIST"
      ? taken(path, option)
      : unwritable(path, error)
  })
  await own.close()
  await rename(temporary, path)
}

/** False after a second export to the same name has replaced the unfinished file by its own. */
async function isOwn(temporary: string, inode: number): Promise<boolean> {
  const status = await lstat(temporary).catch(() => undefined)
  return status?.ino === inode
}

async function requireOwn(temporary: string, inode: number): Promise<void> {
  if (await isOwn(temporary, inode)) return
  const message = `another export wrote to ${temporary} meanwhile; nothing was exported`
  throw new CommandError({ exitCode: EXIT.failed, message })
}

/** Lines are gathered; bytes come in large pieces already. */
async function* gather(
  lines: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  let gathered = ""
  for await (const line of lines) {
    if (typeof line !== "string") {
      yield line
      continue
    }
    gathered += line
    if (gathered.length < GATHER_BYTES) continue
    yield gathered
    gathered = ""
  }
  if (gathered !== "") yield gathered
}

async function write(file: FileHandle, text: Uint8Array | string, path: string): Promise<void> {
  await file.appendFile(text).catch((error: unknown) => {
    throw unwritable(path, error)
  })
}

function taken(path: string, option: string): CommandError {
  return refused(`${path} is there already; ${option} names another file`)
}

function unwritable(path: string, cause: unknown): CommandError {
  const { code, message: words } = cause as NodeJS.ErrnoException
  const message = `${path} can't be written (${code ?? words})`
  return new CommandError({ exitCode: EXIT.failed, message, cause })
}
