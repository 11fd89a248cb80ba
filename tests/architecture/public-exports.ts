/**
 * The public names of every package, read from its `src/index.ts`: explicit named re-exports and
 * nothing else. A type is listed with the word `type` before it.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { read, ROOT, WORKSPACES } from "./workspaces.ts"

export type PublicExports = Readonly<Record<string, readonly string[]>>

export const LIST = join(import.meta.dirname, "public-exports.json")

/** What every package exports today, by package name. A package without an index has no entry. */
export function readPublicExports(): PublicExports {
  const built = WORKSPACES.filter(({ folder }) => existsSync(join(ROOT, folder, "src/index.ts")))
  const entries = built.map(({ folder, manifest }) => [
    manifest.name,
    parseExports(read(`${folder}/src/index.ts`)),
  ])
  return Object.fromEntries(entries) as PublicExports
}

/** Throws a SyntaxError at anything but comments and `export { … } from "…"`. */
export function parseExports(source: string): string[] {
  const statement = /export\s+(type\s+)?\{([^}]*)\}\s*from\s*"\.[^"]+"/g
  const bare = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
  const rest = bare.replaceAll(statement, "").trim()
  if (rest !== "") throw new SyntaxError(`an index only re-exports by name, not: ${rest}`)
  const names = Array.from(bare.matchAll(statement)).flatMap(([, type, list]) =>
    (list ?? "")
      .split(",")
      .map((name) => name.trim().replace(/^.* as /, type === undefined ? "" : "type "))
      .filter((name) => name !== "")
      .map((name) => (type === undefined || name.startsWith("type ") ? name : `type ${name}`)),
  )
  return names.toSorted()
}
