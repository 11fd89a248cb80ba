/**
 * Builds every published package and packs it as npm would publish it: the one way that tarballs of ours are
 * made, for `npm run pack`, for the tests that install them and for the measure of an installation.
 * Builds made before are removed first, since a compiler leaves the output of sources that are gone; turbo puts
 * back what it has built of the same sources.
 */
import { execFile } from "node:child_process"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { ROOT, WORKSPACES } from "../architecture/workspaces.ts"

const run = promisify(execFile)

/** Without what `npm run` hands down: the workspace it ran in, for one. */
export const OUTSIDE_NPM: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")),
)

/** A package's tarball. */
export interface Tarball {
  /** `@safelight/core`. */
  readonly name: string
  readonly path: string
  /** By path in the package, such as `dist/index.js`. */
  readonly files: readonly string[]
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Writes the tarballs into `folder`, which is made if need be; other files in it stay. */
export async function packPackages(folder: string): Promise<Tarball[]> {
  const folders = WORKSPACES.map((workspace) => join(ROOT, workspace.folder))
  await Promise.all(folders.map((each) => rm(join(each, "dist"), { recursive: true, force: true })))
  await mkdir(folder, { recursive: true })
  const options = { cwd: ROOT, env: OUTSIDE_NPM, maxBuffer: 64 * 1024 * 1024 }
  await run("npm", ["run", "--silent", "build", "--", "--output-logs=errors-only"], options)
  // What `prepack` would build for each package is built.
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]
  const workspaces = WORKSPACES.flatMap((workspace) => ["--workspace", workspace.folder])
  const { stdout } = await run("npm", [...words, ...workspaces], options)
  const packed = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>
  return Object.values(packed).map(({ name, filename, files }) => ({
    name,
    path: join(folder, filename),
    files: files.map(({ path }) => path),
  }))
}
