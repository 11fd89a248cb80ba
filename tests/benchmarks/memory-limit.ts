/**
 * A control group with a limit of memory, as a container has one. It needs a Linux on which this process may
 * make groups: root outside of a container, as a rule.
 */
import { access, constants, mkdir, readFile, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

export interface MemoryLimit extends AsyncDisposable {
  /** Words in front of a command that run it within the limit. */
  readonly command: readonly string[]
  /** The most that was used at once. */
  readonly mostBytes: () => Promise<number>
}

interface Hierarchy {
  readonly folder: string
  readonly limit: string
  readonly swapLimit: (bytes: number) => readonly [file: string, value: number]
  readonly most: string
}

const FIRST: Hierarchy = {
  folder: "/sys/fs/cgroup/memory",
  limit: "memory.limit_in_bytes",
  // Of memory and swap together.
  swapLimit: (bytes) => ["memory.memsw.limit_in_bytes", bytes],
  most: "memory.max_usage_in_bytes",
}
const SECOND: Hierarchy = {
  folder: "/sys/fs/cgroup",
  limit: "memory.max",
  swapLimit: () => ["memory.swap.max", 0],
  most: "memory.peak",
}

/** Undefined where this process can make no such group. The group's processes have to end before it is disposed. */
export async function createMemoryLimit(bytes: number): Promise<MemoryLimit | undefined> {
  for (const hierarchy of [FIRST, SECOND]) {
    const group = await createGroup(hierarchy, bytes)
    if (group !== undefined) return group
  }
  return undefined
}

async function createGroup(
  { folder, limit, swapLimit, most }: Hierarchy,
  bytes: number,
): Promise<MemoryLimit | undefined> {
  const group = join(folder, `safelight-benchmark-${process.pid}`)
  try {
    await mkdir(group)
  } catch {
    return undefined
  }
  try {
    await writeFile(join(group, limit), String(bytes))
    const [swapFile, swapBytes] = swapLimit(bytes)
    // A kernel that counts no swap has no such file.
    const swap = join(group, swapFile)
    if (await isThere(swap)) await writeFile(swap, String(swapBytes))
  } catch {
    await rmdir(group)
    return undefined
  }
  return {
    command: ["/bin/sh", "-c", `echo $$ > ${join(group, "cgroup.procs")} && exec "$@"`, "sh"],
    mostBytes: async () => Number(await readFile(join(group, most), "utf8")),
    [Symbol.asyncDispose]: () => removeGroup(group),
  }
}

function isThere(file: string): Promise<boolean> {
  return access(file, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** The kernel lets go of a process a moment after its parent was told of its end. */
async function removeGroup(group: string): Promise<void> {
  for (let tries = 50; ; tries -= 1) {
    try {
      await rmdir(group)
      return
    } catch (error) {
      if (tries === 0 || (error as NodeJS.ErrnoException).code !== "EBUSY") throw error
      await setTimeout(100)
    }
  }
}
