/** The packages of the house as they stand on disk: what the architecture tests walk over. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix, relative, sep } from "node:path"

export const ROOT = join(import.meta.dirname, "..", "..")

export interface Manifest {
  readonly name: string
  readonly type?: string
  readonly description?: string
  readonly license?: string
  readonly sideEffects?: boolean
  readonly files?: readonly string[]
  readonly bin?: unknown
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

export interface Workspace {
  /** `packages/core`, with forward slashes. */
  readonly folder: string
  readonly manifest: Manifest
}

export const WORKSPACES: readonly Workspace[] = ["packages", "adapters"].flatMap((parent) =>
  readdirSync(join(ROOT, parent))
    .filter((name) => existsSync(join(ROOT, parent, name, "package.json")))
    .toSorted()
    .map((name) => toWorkspace(`${parent}/${name}`)),
)

function toWorkspace(folder: string): Workspace {
  return { folder, manifest: JSON.parse(read(`${folder}/package.json`)) as Manifest }
}

/** The text of a file, by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
}

/** Files below `folder` whose name ends in one of `endings`, by path from the root; sorted. */
export function findFiles(folder: string, ...endings: readonly string[]): string[] {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .toSorted()
}

/** Source files of every package and adapter. */
export function findSources(): string[] {
  return WORKSPACES.flatMap(({ folder }) => [
    ...findFiles(`${folder}/src`, ".ts", ".tsx", ".js"),
    ...findFiles(`${folder}/bin`, ".ts", ".js"),
  ])
}

/** The modules that a source names, imported in whichever way. */
export function findSpecifiers(source: string): string[] {
  const pattern = /(?:(?<!\.)\bfrom\s*|^import\s*|\bimport\s*\(\s*)(["'])([^"'\n]+)\1/gm
  return Array.from(source.matchAll(pattern), ([, , specifier]) => specifier ?? "")
}

/** `path` and what it imports by a relative path, however far. */
export function findReached(path: string, reached = new Set<string>()): Set<string> {
  if (reached.has(path)) return reached
  reached.add(path)
  for (const name of findSpecifiers(read(path))) {
    if (name.startsWith(".")) findReached(posix.join(posix.dirname(path), name), reached)
  }
  return reached
}

export function stripComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "")
}
