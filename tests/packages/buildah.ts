/** buildah with a storage of its own, of plain folders: it needs no overlay, no user namespace and no container runtime. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { OUTSIDE_NPM } from "./pack-packages.ts"

/** Nothing that it does takes longer, so one that hangs on a network is given up. */
const LONGEST_MS = 5 * 60_000

export const BUILDAH = "/usr/bin/buildah"

export interface Buildah {
  /** To its standard output. */
  (...words: readonly string[]): Promise<string>
  /** Builds an image of the Containerfile `file`, with `more` before the folder of its context. */
  readonly build: (file: string, context: string, ...more: readonly string[]) => Promise<string>
}

/** Its storage is in `folder`. A call rejects with what `execFile` rejects with. */
export function createBuildah(folder: string): Buildah {
  const places = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")]
  const options = { env: OUTSIDE_NPM, timeout: LONGEST_MS, maxBuffer: 16 * 1024 * 1024 }

  async function call(...words: readonly string[]): Promise<string> {
    const all = ["--storage-driver", "vfs", ...places, ...words]
    return (await promisify(execFile)(BUILDAH, all, options)).stdout
  }

  function build(file: string, context: string, ...more: readonly string[]): Promise<string> {
    const isolated = ["--isolation", "chroot", "--format", "docker", "--file", file]
    return call("bud", ...isolated, ...more, context)
  }

  return Object.assign(call, { build })
}
