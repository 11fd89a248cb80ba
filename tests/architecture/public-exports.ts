/**
 * The public names of every entry of a package, read from its index: explicit named re-exports and
 * nothing else. A type is listed with the word `type` before it.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { read, ROOT, WORKSPACES } from "./workspaces.ts"

export type PublicExports = Readonly<Record<string, readonly string[]>>

export const LIST = join(import.meta.dirname, "public-exports.json")

/** What every entry exports today, by the name that imports it. One without an index is left out. */
export function readPublicExports(): PublicExports {
  const entries = WORKSPACES.flatMap(({ folder, manifest }) =>
    Object.keys(manifest.exports ?? {})
      .map((subpath) => subpath.slice(1))
      .filter((subpath) => existsSync(join(ROOT, `${folder}/src${subpath}/index.ts`)))
      .map((subpath) => [
        `${manifest.name}${subpath}`,
        parseExports(read(`${folder}/src${subpath}/index.ts`)),
      ]),
  )
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
