/**
 * Reads `safelight.config.json`. The default file may be absent; a file that was named must exist.
 */
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as v from "valibot"
import { configurationError, toConfigurationError } from "./configuration-fault.ts"
import { fileSchema, type ConfigurationFile } from "./file-schema.ts"

export const DEFAULT_FILE = "safelight.config.json"

export interface FileSource {
  /** As the user typed it; undefined for the default name. */
  readonly path: string | undefined
  /** The working directory. */
  readonly folder: string
}

export interface FoundFile {
  /** As the user typed it, for messages. */
  readonly name: string
  /** Absolute. */
  readonly path: string
  /** Absolute; paths in the file are relative to it. */
  readonly folder: string
  readonly content: ConfigurationFile
}

/** Undefined if the default file is absent. Rejects with `invalid-configuration`, naming the file. */
export async function readConfigurationFile(source: FileSource): Promise<FoundFile | undefined> {
  const name = source.path ?? DEFAULT_FILE
  const path = resolve(source.folder, name)
  const text = await readText(path, name, source.path === undefined)
  if (text === undefined) return undefined
  const result = v.safeParse(fileSchema, parseJson(text, name), { abortPipeEarly: true })
  if (!result.success) throw toConfigurationError(name, result.issues)
  return { name, path, folder: dirname(path), content: result.output }
}

async function readText(
  path: string,
  name: string,
  mayBeAbsent: boolean,
): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" && mayBeAbsent) return undefined
    throw configurationError(
      code === "ENOENT" ? `${name}: there is no such file` : `${name}: can't be read (${code})`,
      error,
    )
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    // JSON.parse's own message quotes the text around the fault; its position is enough.
    const place = /line \d+ column \d+/.exec((error as Error).message)?.[0]
    throw configurationError(`${name}: not JSON${place === undefined ? "" : ` at ${place}`}`, error)
  }
}
