/**
 * A folder of files as a source of artifacts, for whoever checks a log beside the files that were delivered: a copy of a
 * service's own folder, or what somebody downloaded. Nothing is ever written, and no name leads out of the folder,
 * whatever a log says. Symbolic links are followed: they are of the folder's owner.
 */
import { open, type FileHandle } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"
import { isArtifactLocator, SafelightError, type ArtifactReader } from "@safelight/core"
import type { ArtifactSource, NamedArtifact } from "./judge-artifacts.ts"

export interface FolderArtifactsOptions {
  /** Relative to the current working directory. */
  readonly folder: string
  /**
   * The names under which the folder may have an artifact, beside its locator, which is its name in a service's folder.
   * They are relative to the folder.
   */
  readonly toNames?: (artifact: NamedArtifact) => readonly string[]
}

/** `open` rejects with `artifacts-unavailable` if a file can't be read. Of several files the first name counts. */
export function createFolderArtifacts({
  folder,
  toNames = () => [],
}: FolderArtifactsOptions): ArtifactSource {
  return {
    async open(artifact) {
      const { locator } = artifact
      const names = [...(isArtifactLocator(locator) ? [locator] : []), ...toNames(artifact)]
      for (const path of names.map((name) => join(folder, name))) {
        // oxlint-disable-next-line no-await-in-loop -- the second is looked for where the first is not there
        const reader = isWithin(folder, path) ? await openReader(path) : undefined
        if (reader !== undefined) return reader
      }
      const message = `${artifact.key} of task ${artifact.task} is not in ${folder}`
      throw new SafelightError({ code: "artifact-missing", message })
    },
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Undefined if there is no file of that name. */
async function openReader(path: string): Promise<ArtifactReader | undefined> {
  const handle = await orUnavailable(path, openFile(path))
  if (handle === undefined) return undefined
  const about = await orUnavailable(path, handle.stat()).catch(async (error: unknown) => {
    await handle.close()
    throw error
  })
  if (about.isFile()) return createReader(handle, path, about.size)
  await handle.close()
  return undefined
}

function createReader(handle: FileHandle, path: string, totalBytes: number): ArtifactReader {
  return {
    totalBytes,
    async read(into) {
      return (await orUnavailable(path, handle.read(into, 0, into.length))).bytesRead
    },
    close: () => handle.close(),
  }
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    throw error
  }
}

async function orUnavailable<Value>(path: string, pending: Promise<Value>): Promise<Value> {
  try {
    return await pending
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException
    const message = `${path} can't be read (${code})`
    throw new SafelightError({ code: "artifacts-unavailable", message, cause })
  }
}
