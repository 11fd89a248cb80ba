/** Files of this machine, laid into the folder that becomes the root of an image. */
import { execFile } from "node:child_process"
import { copyFile, mkdir, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** What a link points to is copied, and not the link. */
export async function copyInto(root: string, path: string, as = path): Promise<void> {
  const target = join(root, as)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(await realpath(path), target)
}

/** With the libraries that it loads. */
export async function copyTool(root: string, path: string, as: string): Promise<void> {
  const { stdout } = await promisify(execFile)("ldd", [path])
  const libraries = stdout.match(/\/\S+/g) ?? []
  await Promise.all(libraries.map((each) => copyInto(root, each)))
  await copyInto(root, path, as)
  if (as === "/usr/bin/sh") await copyInto(root, path, "/bin/sh")
}

/** What the kernel and a program mount on. */
export async function makeMountPoints(root: string): Promise<void> {
  const names = ["proc", "dev", "sys", "tmp"]
  await Promise.all(names.map((name) => mkdir(join(root, name), { recursive: true })))
}
