/**
 * The oracle's view of what a task made: each file is what its manifest says and what the upstream made, none
 * stands twice, and of what can be had nothing is missing.
 */
import { createHash } from "node:crypto"
import type { ArtifactStorage, ManifestEntry, Task } from "@safelight/core"
import type { Creation } from "./creations.ts"
import { toProduct } from "./products.ts"
import { hasReached, type RoundFaults } from "./round-faults.ts"
import { toOperationName } from "./upstream-channel.ts"

export interface Artifacts {
  readonly artifacts: ArtifactStorage
  readonly bought: ReadonlyMap<string, readonly Creation[]>
  readonly faults: RoundFaults
  readonly fail: (words: string) => void
}

export async function judgeArtifacts(open: Artifacts, task: Task): Promise<void> {
  const { artifacts, bought, fail } = open
  const { id, state } = task
  if (!state.startsWith("succeeded")) return
  const used = (bought.get(id) ?? []).find(
    ({ operation }) => operation === toOperationName(task.operation),
  )
  if (used !== undefined) judgeManifest(open, task, used)
  if (state === "succeeded.available") {
    for (const entry of task.artifacts) await judgeFile(open, task, entry)
  } else {
    const left = await artifacts.list(id)
    const known = new Set(task.artifacts.map(({ locator }) => locator))
    const unknown = left.filter((locator) => !known.has(locator))
    const isExplained = unknown.length === left.length && mayLeaveOrphans(open.faults)
    if (left.length > 0 && !isExplained) {
      fail(`${left.length} files of expired task ${id} are left, ${unknown.length} in no row`)
    }
  }
}

/**
 * Whether a node was killed that may have been storing an output which its task had already. Sweeps look at a task for
 * the last time days after its end, and find what such a node left; those that run ahead don't wait so long.
 */
function mayLeaveOrphans({ endedAt, isTimeAhead }: RoundFaults): boolean {
  return isTimeAhead && endedAt.size > 0
}

function judgeManifest(
  { fail, faults }: Artifacts,
  { artifacts, endBy, finishedAt, id }: Task,
  creation: Creation,
): void {
  const { kind, operation, production } = creation
  const good = production.pieces.flatMap((flaw, place) =>
    flaw === null ? toSha256(toProduct(operation, place, production)) : [],
  )
  const found = artifacts.map(({ sha256 }) => sha256)
  if (new Set(found).size !== found.length) fail(`task ${id} has a piece twice`)
  if (found.some((digest) => !good.includes(digest))) {
    fail(`a file of ${id} is not what the upstream made`)
  }
  // Close to its end there may have been no time for the rest, or the only node to have the answer ended.
  const isLeft = kind === "unkeyed" && !hasReached(creation, faults)
  const isInTime = !faults.isTimeAhead && finishedAt < endBy && !isLeft
  if (isInTime && found.length < good.length) {
    fail(`task ${id} has ${found.length} of ${good.length} pieces that can be had`)
  }
}

async function judgeFile(
  { artifacts, fail }: Artifacts,
  { id }: Task,
  { key, locator, sha256 }: ManifestEntry,
): Promise<void> {
  const digest = createHash("sha256")
  try {
    const reader = await artifacts.open({ locator })
    try {
      const into = Buffer.alloc(64 * 1024)
      for (let count = await reader.read(into); count > 0; count = await reader.read(into)) {
        digest.update(into.subarray(0, count))
      }
    } finally {
      await reader.close()
    }
  } catch (error) {
    return fail(`artifact ${key} of ${id} can't be read: ${String(error)}`)
  }
  if (digest.digest("hex") !== sha256) {
    fail(`the file of ${id} is not what its manifest says`)
  }
}

function toSha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex")
}
