/**
 * How large the service is for a user who installs it and nothing else: packs every package of ours,
 * installs them into an empty folder as npm does, and says what takes most. Fails above the bound. It
 * asks the registry, so it is no test; the bundled Node is the repository's own and not in it.
 */
import { execFile } from "node:child_process"
import { mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { OUTSIDE_NPM, packPackages } from "./packages/pack-packages.ts"
import { createTemporaryFolder } from "./support/temporary-folder.ts"

const MOST_BYTES = 150_000_000
const SHOWN = 15

await using folder = await createTemporaryFolder()
const installed = join(folder.path, "installed")
await mkdir(installed)
const tarballs = await packPackages(join(folder.path, "packed"))
await writeFile(join(installed, "package.json"), '{ "private": true }')
const words = ["install", "--no-audit", "--no-fund", ...tarballs.map(({ path }) => path)]
await promisify(execFile)("npm", words, { cwd: installed, env: OUTSIDE_NPM })

const sizes = new Map<string, number>()
const modules = join(installed, "node_modules")
for (const entry of await readdir(modules, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  const [first = "", second = ""] = path.slice(modules.length + 1).split("/")
  const name = first === "@img" || !first.startsWith("@") ? first : `${first}/${second}`
  sizes.set(name, (sizes.get(name) ?? 0) + (await stat(path)).size)
}
const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
for (const [name, size] of [...sizes].toSorted((a, b) => b[1] - a[1]).slice(0, SHOWN)) {
  console.log(`${toMegabytes(size).padStart(8)}  ${name}`)
}
console.log(`${toMegabytes(total).padStart(8)}  in all, of ${toMegabytes(MOST_BYTES)} at most`)
if (total > MOST_BYTES) process.exitCode = 1

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
