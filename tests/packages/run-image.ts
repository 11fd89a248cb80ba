/**
 * An image's command as a container runs it, by the tools of util-linux: process 1 of its own, the image's user, no
 * way to more rights, a root that is read-only, one folder that may be written, and bounded memory. The network is the
 * machine's.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Image } from "./build-image.ts"

/** Of both versions of control groups: where groups are made, and what the file of the bound is called. */
const GROUPS = [
  {
    folder: "/sys/fs/cgroup/memory",
    bound: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
  },
  { folder: "/sys/fs/cgroup", bound: "memory.max", peak: "memory.peak" },
] as const

const START = `set -eu
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --rbind /sys "$ROOT/sys"
mount --bind "$DATA" "$ROOT/data"
mount -o remount,bind,ro "$ROOT"
cd "$ROOT/data"
exec setpriv --no-new-privs chroot --userspec="$USER_OF_IMAGE" --groups= "$ROOT" /usr/local/bin/node "$@"`

export interface RunningImage {
  /** Standard output and error so far. */
  readonly output: () => string
  /** The id of its process 1, as this machine counts. */
  readonly pid: () => Promise<number>
  readonly exited: Promise<readonly [number | null, NodeJS.Signals | null]>
  /** Ends all of its processes, if they have not ended. */
  readonly kill: () => void
  /** Runs a command beside it, as `podman exec` would; to its exit code and output. */
  readonly execute: (words: readonly string[]) => Promise<{ code: number | null; text: string }>
  /** The most memory that its processes had, in bytes; undefined if this machine doesn't tell. */
  readonly readPeakBytes: () => Promise<number | undefined>
}

export interface RunOptions {
  /** A folder of the image's user. */
  readonly data: string
  readonly memoryBytes: number
  readonly environment: Readonly<Record<string, string>>
}

/** Undefined if this machine lets no group of its own be made: then the memory can't be bounded. */
async function makeGroup(memoryBytes: number) {
  const found = GROUPS.find(({ folder }) => existsSync(join(folder, "cgroup.procs")))
  if (found === undefined) return undefined
  const folder = join(found.folder, `safelight-image-${process.pid}`)
  try {
    await mkdir(folder)
    await writeFile(join(folder, found.bound), String(memoryBytes))
  } catch {
    // Not allowed, or the controller is not given to groups here.
    await rmdir(folder).catch(() => {})
    return undefined
  }
  return { folder, peak: join(folder, found.peak) }
}

export async function runImage(image: Image, options: RunOptions): Promise<RunningImage> {
  const { config, root } = image
  const group = await makeGroup(options.memoryBytes)
  const [, ...entry] = config.Entrypoint
  const enter = group === undefined ? "" : `echo $$ > ${group.folder}/cgroup.procs; `
  const isolated = "exec unshare --mount --pid --fork --kill-child --propagation private sh -c"
  const own = Object.fromEntries(config.Env.map((each) => each.split(/=(.*)/s, 2)))
  const environment = { ...own, ...options.environment }
  const shell = ["-c", `${enter}${isolated} "$START" sh "$@"`, "sh", ...entry, ...config.Cmd]
  const child = spawn("sh", shell, {
    env: {
      ...environment,
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      START,
      ROOT: root,
      DATA: options.data,
      USER_OF_IMAGE: config.User,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
  }
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>
  void exited.then(async () => group && rmdir(group.folder).catch(() => {}))

  async function pid(): Promise<number> {
    const path = `/proc/${child.pid}/task/${child.pid}/children`
    return Number(readFileSync(path, "utf8").trim().split(" ")[0])
  }

  return {
    output: () => text,
    pid,
    exited,
    kill: () => void child.kill("SIGKILL"),
    async execute(words) {
      const [uid = "", gid = ""] = config.User.split(":")
      const inside = ["--target", String(await pid()), "--mount", "--pid", "--root", "--wd"]
      const as = ["--setuid", uid, "--setgid", gid]
      const beside = spawn("nsenter", [...inside, ...as, ...config.Entrypoint, ...words], {
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      })
      let said = ""
      for (const stream of [beside.stdout, beside.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => void (said += chunk))
      }
      const [code] = (await once(beside, "close")) as [number | null]
      return { code, text: said }
    },
    async readPeakBytes() {
      if (group === undefined || !existsSync(group.peak)) return undefined
      return Number(await readFile(group.peak, "utf8"))
    },
  }
}
