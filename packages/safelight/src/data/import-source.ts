/**
 * What an import reads: the file, and the folder of artifacts. What can't be read is refused in one line that
 * names it.
 */
import { createReadStream } from "node:fs"
import { access, constants, stat } from "node:fs/promises"
import { join } from "node:path"
import { refused, type CommandError } from "../errors/command-error.ts"
import type { Configuration } from "../configuration/configuration.ts"

/** Called before the data is opened, which would make an empty database if there was none. */
export async function requireFile(path: string): Promise<void> {
  const status = await stat(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  if (!status.isFile()) throw refused(`${path} is no file`)
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
}

/** The file from its beginning. */
export async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/**
 * Rejects if `from` holds no artifacts, or is the place that they would be copied to. Otherwise a mistyped
 * folder would look like one whose artifacts are all missing, and a copy onto itself like a finished one.
 */
export async function requireArtifacts(
  from: string,
  { artifacts, data }: Pick<Configuration, "artifacts" | "data">,
): Promise<void> {
  await requireArtifactFolder(from)
  const to = artifacts ?? join(data, "artifacts")
  if (to.startsWith("s3:") || !(await isSameFolder(from, to))) return
  throw refused(
    `artifacts would be copied from ${from} to where they are: --artifacts names where to`,
  )
}

/** Rejects if no service has used the folder for artifacts. Opening one that has makes nothing in it. */
export async function requireArtifactFolder(folder: string): Promise<void> {
  const incoming = await stat(join(folder, ".incoming")).catch(() => undefined)
  if (incoming?.isDirectory() === true) return
  throw refused(`${folder} is no folder of artifacts, such as data/artifacts`)
}

/** True for two names of one folder too; false if one does not exist. */
async function isSameFolder(...paths: readonly [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(
    paths.map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  )
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino
}

/** The error of a file that can't be read, by its name. */
export function unreadable(path: string, cause: unknown): CommandError {
  const { code, message } = cause as NodeJS.ErrnoException
  return refused(`${path} can't be read (${code ?? message})`, cause)
}
