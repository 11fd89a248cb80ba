/**
 * The image, built by its Containerfile with buildah. No registry of images is asked: the bases are made of this
 * machine's C libraries, its certificates, npm, and the Node of the tests. It needs root, as buildah without a user
 * namespace and the run of the image do.
 */
import { execFile } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { cp, readFile, realpath, symlink, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { createBuildah } from "./buildah.ts"
import { findImageLack } from "./find-image-lack.ts"
import { copyInto, copyTool, makeMountPoints } from "./image-files.ts"
import { OUTSIDE_NPM, packPackages } from "./pack-packages.ts"

const run = promisify(execFile)

/** For `{ skip }`: why no image can be built here. */
export const skipImage = (await findImageLack()) ?? false

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
  const buildah = createBuildah(folder)
  await makeBases(folder)
  for (const name of ["base", "node"]) {
    const file = join(folder, `${name}.Containerfile`)
    // oxlint-disable-next-line no-await-in-loop -- one storage
    await buildah.build(file, join(folder, name), "--tag", `local-${name}`)
  }
  const context = join(folder, "context")
  const definition = join(context, ".github/container")
  await packPackages(join(context, "tarballs"))
  await cp(join(ROOT, ".github/container"), definition, { recursive: true })
  const bases = ["NODE=local-node", "BASE=local-base"].flatMap((each) => ["--build-arg", each])
  // npm's own, of what is installed already.
  const cache = ["--volume", `${join(homedir(), ".npm")}:/root/.npm`]
  const file = join(definition, "Containerfile")
  const more = ["--pull-never", ...bases, ...cache, "--tag", "safelight"]
  await buildah.build(file, context, ...more)
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
  await makeMountPoints(base)
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

async function copyNpm(root: string): Promise<void> {
  const { stdout } = await run("which", ["npm"], { env: OUTSIDE_NPM })
  const program = await realpath(stdout.trim())
  await cp(dirname(dirname(program)), join(root, "usr/local/lib/npm"), { recursive: true })
  await symlink("../lib/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"))
}

export async function readText(image: Image, path: string): Promise<string> {
  return readFile(join(image.root, path), "utf8")
}
