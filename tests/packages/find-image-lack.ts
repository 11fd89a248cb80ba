/**
 * Why no image can be built and run here. Tools alone don't tell: root of a container may be kept from mounts and from
 * chroot, by its rights or by a filter of system calls. So the smallest image is built, which takes a second.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { BUILDAH, createBuildah } from "./buildah.ts"
import { copyTool, makeMountPoints } from "./image-files.ts"

const TOOLS = [BUILDAH, "/usr/bin/dpkg", "/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/setpriv"]

/** The kinds of mounts with which an image is run. */
const MOUNTS = `set -e
mount -t proc proc "$1/proc"
mount --bind "$1" "$1"
mount --rbind /sys "$1/sys"
mount -o remount,bind,ro "$1"`

/** Undefined if nothing is lacking. */
export async function findImageLack(): Promise<string | undefined> {
  if (process.platform !== "linux") return "containers are Linux's"
  if (process.getuid?.() !== 0) return "only root may mount and chroot"
  const missing = TOOLS.find((tool) => !existsSync(tool))
  if (missing !== undefined) return `no ${missing}`
  await using folder = await createTemporaryFolder()
  return (await findMountFault(folder.path)) ?? (await findBuildFault(folder.path))
}

async function findMountFault(folder: string): Promise<string | undefined> {
  const root = join(folder, "mounted")
  await makeMountPoints(root)
  const own = ["--mount", "--pid", "--fork", "--propagation", "private"]
  const said = await findFault(() =>
    promisify(execFile)("unshare", [...own, "sh", "-c", MOUNTS, "sh", root]),
  )
  return said && `this process may not mount: ${said}`
}

async function findBuildFault(folder: string): Promise<string | undefined> {
  const root = join(folder, "built")
  await makeMountPoints(root)
  await copyTool(root, "/bin/sh", "/usr/bin/sh")
  const file = join(folder, "Containerfile")
  await writeFile(file, "FROM scratch\nCOPY . /\nRUN exit 0\n")
  const said = await findFault(() => createBuildah(folder).build(file, root))
  return said && `buildah can't build here: ${said}`
}

/** All that a program said of its failure: the first line has the cause, and the last one the step. */
async function findFault(run: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    const { message, stderr = "" } = error as Error & { readonly stderr?: string }
    return stderr.trim().replaceAll(/\s*\n/g, "; ") || message
  }
}
