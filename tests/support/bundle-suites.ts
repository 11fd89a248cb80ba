/**
 * Files that run in one process: a temporary file imports them all. Only for suites that leave nothing
 * behind in their process, and whose failures can't take it along.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

export interface Bundles extends Disposable {
  /** Those that run alone as they were, and the temporary ones by absolute path. */
  readonly files: readonly string[]
}

/** Paths are from the folder of all tests. A suite of one file needs no bundle. */
export function bundleSuites(suites: readonly string[], files: readonly string[]): Bundles {
  const folder = mkdtempSync(join(tmpdir(), "safelight-bundles-"))
  const bundled = new Set<string>()
  const bundles = suites.flatMap((suite) => {
    const own = files.filter((file) => file.startsWith(`${suite}/`))
    if (own.length < 2) return []
    for (const file of own) bundled.add(file)
    const path = join(folder, `${suite.replaceAll("/", "-")}.test.mjs`)
    writeFileSync(path, own.map(toImport).join(""))
    return path
  })
  return {
    files: [...bundles, ...files.filter((file) => !bundled.has(file))],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

function toImport(file: string): string {
  const url = pathToFileURL(resolve(import.meta.dirname, "..", file))
  return `import ${JSON.stringify(url.href)}\n`
}
