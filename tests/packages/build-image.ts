/**
 * The image, built by its Containerfile with buildah. No registry of images is asked: the bases are made of this
 * machine's C libraries, its certificates, npm, and the Node of the tests. It needs root, as buildah without a user
 * namespace and the run of the image do.
 */
import { execFile, spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { copyFile, cp, mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { OUTSIDE_NPM, packPackages } from "./pack-packages.ts"

const run = promisify(execFile)

/** Nothing that it does takes longer, so one that hangs on a network is given up. */
const BUILD_MS = 5 * 60_000

/** For `{ skip }`: why no image can be built here. */
export const skipImage = findLack() ?? false

function findLack(): string | undefined {
  if (process.platform !== "linux") return "containers are Linux's"
  if (process.getuid?.() !== 0) return "only root may mount and chroot"
  const tools = ["/usr/bin/buildah", "/usr/bin/dpkg", "/usr/bin/unshare", "/usr/bin/nsenter"]
  const missing = tools.find((tool) => !existsSync(tool))
  if (missing !== undefined) return `no ${missing}`
  // Root of a container may have been left without the right.
  const { status } = spawnSync("/usr/bin/unshare", [
    "--mount",
    "mount",
    "-t",
    "tmpfs",
    "none",
    "/mnt",
  ])
  return status === 0 ? undefined : "this process may not mount"
}

export interface Image {
  /** What it says of itself: `Cmd`, `Entrypoint`, `Env`, `User` and the like. */
  readonly config: ImageConfig
  /** The folder that is its root. */
  readonly root: string
  /** What it adds to its base. */
  readonly ownBytes: number
}

export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly StopSignal: string
  readonly Healthcheck?: { readonly Test: readonly string[] }
  readonly Volumes: Readonly<Record<string, unknown>>
}

/** Goes with the process. */
export async function buildImage(): Promise<Image> {
  const { path: folder } = await createTemporaryFolder()
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const buildah = (...words: readonly string[]): Promise<string> => callBuildah(folder, words)
  await makeBases(folder)
  for (const name of ["base", "node"]) {
    const file = join(folder, `${name}.Containerfile`)
    // oxlint-disable-next-line no-await-in-loop -- one storage
    await buildah("bud", ...ISOLATED, "--file", file, "--tag", `local-${name}`, join(folder, name))
  }
  const context = join(folder, "context")
  const definition = join(context, ".github/container")
  await packPackages(join(context, "tarballs"))
  await cp(join(ROOT, ".github/container"), definition, { recursive: true })
  const bases = ["NODE=local-node", "BASE=local-base"].flatMap((each) => ["--build-arg", each])
  // npm's own, of what is installed already.
  const cache = ["--volume", `${join(homedir(), ".npm")}:/root/.npm`]
  const file = ["--file", join(definition, "Containerfile"), "--tag", "safelight"]
  await buildah("bud", ...ISOLATED, "--pull-never", ...bases, ...cache, ...file, context)
  const inspected = JSON.parse(await buildah("inspect", "--type", "image", "safelight"))
  const [own, base] = await Promise.all(
    ["safelight", "local-base"].map(async (name) => {
      const [found] = JSON.parse(await buildah("images", "--json", name)) as readonly {
        readonly size: string
      }[]
      return parseSize(found?.size ?? "")
    }),
  )
  const container = (await buildah("from", "--pull-never", "safelight")).trim()
  const root = (await buildah("mount", container)).trim()
  return { config: inspected.Docker.config, root, ownBytes: (own ?? 0) - (base ?? 0) }
}

const ISOLATED = ["--isolation", "chroot", "--format", "docker"] as const

async function callBuildah(folder: string, words: readonly string[]): Promise<string> {
  const places = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")]
  const options = { env: OUTSIDE_NPM, timeout: BUILD_MS, maxBuffer: 16 * 1024 * 1024 }
  const { stdout } = await run("buildah", ["--storage-driver", "vfs", ...places, ...words], options)
  return stdout
}

/** As buildah tells it: `233 MB`. */
function parseSize(text: string): number {
  const [, amount = "", unit = ""] = /^([\d.]+) ?([KMG]?)B$/.exec(text) ?? []
  const factors: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9 }
  return Number(amount) * (factors[unit] ?? NaN)
}

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

/** Of which the official one has the same: what `Containerfile` needs of the Node that installs. */
const TOOLS = ["sh", "find", "rm", "mkdir", "chmod", "cp", "env"]

async function makeBases(folder: string): Promise<void> {
  const base = join(folder, "base")
  await Promise.all(
    ["proc", "dev", "sys", "tmp"].map((name) => mkdir(join(base, name), { recursive: true })),
  )
  await Promise.all((await listLibraries()).map((path) => copyInto(base, path)))
  if (existsSync(CERTIFICATES)) await copyInto(base, CERTIFICATES)
  const node = join(folder, "node")
  await cp(base, node, { recursive: true })
  await copyTool(node, process.execPath, "/usr/local/bin/node")
  await copyNpm(node)
  for (const tool of TOOLS) {
    // oxlint-disable-next-line no-await-in-loop -- a handful
    await copyTool(node, (await run("which", [tool])).stdout.trim(), `/usr/bin/${tool}`)
  }
  const path = "ENV PATH=/usr/local/bin:/usr/bin:/bin"
  const ways = `NODE_EXTRA_CA_CERTS=${CERTIFICATES} npm_config_prefer_offline=true`
  await writeFile(join(folder, "base.Containerfile"), `FROM scratch\nCOPY . /\n${path}\n`)
  await writeFile(join(folder, "node.Containerfile"), `FROM scratch\nCOPY . /\n${path} ${ways}\n`)
}

/** The files of Debian's packages that the base has by its name: `cc`. */
async function listLibraries(): Promise<readonly string[]> {
  const { stdout } = await run("dpkg", ["--listfiles", "libc6", "libgcc-s1", "libstdc++6"])
  return stdout.split("\n").filter((path) => /^\/(usr\/)?lib.*\.so(\.\d+)*$/.test(path))
}

async function copyInto(root: string, path: string, as = path): Promise<void> {
  const target = join(root, as)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(await realpath(path), target)
}

async function copyNpm(root: string): Promise<void> {
  const { stdout } = await run("which", ["npm"], { env: OUTSIDE_NPM })
  const program = await realpath(stdout.trim())
  await cp(dirname(dirname(program)), join(root, "usr/local/lib/npm"), { recursive: true })
  await symlink("../lib/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"))
}

async function copyTool(root: string, path: string, as: string): Promise<void> {
  const { stdout } = await run("ldd", [path])
  const libraries = stdout.match(/\/\S+/g) ?? []
  await Promise.all(libraries.map((each) => copyInto(root, each)))
  await copyInto(root, path, as)
  if (as === "/usr/bin/sh") await copyInto(root, path, "/bin/sh")
}

export async function readText(image: Image, path: string): Promise<string> {
  return readFile(join(image.root, path), "utf8")
}
