/**
 * One project, installed from the registry and the packed tarballs as a user's would be: the packages, the examples
 * beside them with all that these depend on, and the other runtimes that the client runs in.
 * Once a process, since it takes far longer than what is done with it; the folder goes with the process.
 */
import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { cp, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { OUTSIDE_NPM, packPackages, type Tarball } from "./pack-packages.ts"

/** By the folder that they have in the installation. */
const EXAMPLES = {
  examples: join(ROOT, "adapters/http/examples"),
  "client-examples": join(ROOT, "packages/client/examples"),
  "engine-examples": join(ROOT, "packages/engine/examples"),
} as const

/** By the names under which they are installed; packages of the registry that are one executable each. */
const { arch } = process
const RUNTIMES = {
  "runtime-node-20": `npm:node-linux-${arch}@20.20.2`,
  "runtime-bun": `npm:@oven/bun-linux-${arch === "arm64" ? "aarch64" : arch}@1.4.5`,
  "runtime-deno": `npm:@deno/linux-${arch}-glibc@2.9.6`,
}

/** As commands: without the client's program and its arguments. */
const EXECUTABLES = {
  "Node 20": ["runtime-node-20/bin/node"],
  Bun: ["runtime-bun/bin/bun"],
  // It asks for each right that a program needs.
  Deno: ["runtime-deno/deno", "run", "--allow-net", "--allow-read", "--allow-write", "--allow-env"],
} as const

export interface Installation {
  readonly folder: string
  readonly tarballs: readonly Tarball[]
  /** The command of each runtime that isn't the one of the tests. */
  readonly runtimes: Readonly<Record<keyof typeof EXECUTABLES, readonly [string, ...string[]]>>
}

/** For `{ skip }`: why it can't be had here. Under CI it is tried, and fails. */
export const skipElsewhere =
  process.platform === "linux" || process.env["CI"] !== undefined ? false : "runtimes are Linux's"

let installed: Promise<Installation> | undefined

export function installPackages(): Promise<Installation> {
  return (installed ??= install())
}

async function install(): Promise<Installation> {
  const { path: folder } = await createTemporaryFolder()
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const [tarballs, others] = [await packPackages(join(folder, "tarballs")), await readOthers()]
  for (const [name, path] of Object.entries(EXAMPLES)) {
    await cp(path, join(folder, name), { recursive: true })
  }
  const own = Object.fromEntries(tarballs.map(({ name, path }) => [name, `file:${path}`]))
  const dependencies = { ...others, ...RUNTIMES, ...own }
  const manifest = { private: true, type: "module", dependencies }
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest))
  // Without links of executables: one of the runtimes is called `node`.
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund"]
  const words = ["install", "--ignore-scripts", "--no-bin-links", ...quiet]
  await promisify(execFile)("npm", words, { cwd: folder, env: OUTSIDE_NPM })
  const modules = join(folder, "node_modules")
  const runtimes = Object.entries(EXECUTABLES).map(([name, [path, ...flags]]) => {
    return [name, [join(modules, path), ...flags]]
  })
  return { folder, tarballs, runtimes: Object.fromEntries(runtimes) as Installation["runtimes"] }
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** What the examples name, in the versions that they name. */
async function readOthers(): Promise<Record<string, string>> {
  const paths = await Promise.all(
    Object.values(EXAMPLES).map(async (path) => {
      const names = await readdir(path, { recursive: true })
      return names.filter((each) => each.endsWith("package.json")).map((each) => join(path, each))
    }),
  )
  const manifests = await Promise.all(
    paths.flat().map(async (path) => JSON.parse(await readFile(path, "utf8")) as Manifest),
  )
  const all = manifests.map(({ dependencies, devDependencies }) => {
    return { ...dependencies, ...devDependencies }
  })
  return Object.assign({}, ...all) as Record<string, string>
}
