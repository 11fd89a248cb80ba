/**
 * Files that run in one process: a temporary file imports them all. Only for suites that leave nothing
 * behind in their process, and whose failures can't take it along.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** Where the temporary files go, and what goes into them. */
export interface BundleRequest {
  readonly folder: string
  readonly suites: readonly string[]
  /** Of the whole run. */
  readonly files: readonly string[]
}

/** The temporary files by absolute path, each named after its suite, and the files that run alone as they were: from the folder of all tests. */
export function bundleSuites({ folder, suites, files }: BundleRequest): readonly string[] {
  const bundled = new Set<string>()
  const bundles = suites.flatMap((suite) => {
    const own = files.filter((file) => file.startsWith(`${suite}/`))
    // A suite of one file needs no bundle.
    if (own.length < 2) return []
    for (const file of own) bundled.add(file)
    const path = join(folder, `${suite}.test.mjs`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, own.map(toImport).join(""))
    return path
  })
  return [...bundles, ...files.filter((file) => !bundled.has(file))]
}

function toImport(file: string): string {
  const url = pathToFileURL(resolve(import.meta.dirname, "..", file))
  return `import ${JSON.stringify(url.href)}\n`
}
