/** The files that `models` of the configuration means: those that it names, and those of folders, in name order. */
import { readdir, stat } from "node:fs/promises"
import { extname, join } from "node:path"

/** A model's file is a page or two. */
export const MOST_MODEL_BYTES = 256 * 1024

/** A file or a folder, by its absolute path; or whether the three built-in models are served. */
export type ModelPlace = string | { readonly builtin: boolean }

const CODE: ReadonlySet<string> = new Set([".js", ".mjs", ".mts", ".ts"])

export interface ModelPath {
  readonly path: string
  /** Undefined if it can be read; otherwise why not, in words that follow the path. */
  readonly fault?: string
}

export async function listModelPaths(places: readonly ModelPlace[]): Promise<readonly ModelPath[]> {
  const paths = places.filter((place) => typeof place === "string")
  return (await Promise.all(paths.map(listPaths))).flat()
}

export function isModelData(path: string): boolean {
  return extname(path) === ".json"
}

async function listPaths(path: string): Promise<readonly ModelPath[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [await toPath(path)]
    const names = (await readdir(path)).filter(isModelName).toSorted()
    return await Promise.all(names.map((name) => toPath(join(path, name))))
  } catch (error) {
    // Importing code tells more of why not.
    return [CODE.has(extname(path)) ? { path } : { path, fault: `can't be read: ${toCode(error)}` }]
  }
}

async function toPath(path: string): Promise<ModelPath> {
  try {
    return (await stat(path)).isFile() ? { path } : { path, fault: "is no file" }
  } catch (error) {
    return { path, fault: `can't be read: ${toCode(error)}` }
  }
}

function isModelName(name: string): boolean {
  return isModelData(name) || (CODE.has(extname(name)) && !/\.d\.m?ts$/.test(name))
}

/** As `ENOENT`. */
export function toCode(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return code ?? message ?? String(error)
}
