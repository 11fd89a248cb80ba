/**
 * The bytes of artifacts on their way, over storages in memory: how many are under way at once, and
 * what an outage of the target costs. What becomes of each file is tried with folders
 * (service/command/move.test.ts).
 */
import assert from "node:assert/strict"
import { setImmediate } from "node:timers/promises"
import { describe, it } from "node:test"
import { importStreams, type ArtifactCopy } from "@safelight/audit"
import { SafelightError, type ArtifactRestore, type RestoreOutcome } from "@safelight/core"
import { createMemoryArtifacts, createMemoryStorage } from "@safelight/testkit"
import { exportLines, NOW, toAppend, toFile, toTaskId } from "./support/transfer-source.ts"
import { createStream, dispatch, EDIT, submission, success } from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"

const TASKS = 24
const IMAGES = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
/** Before any artifact expires. */
const EARLY = NOW / 2

/** Finished tasks with two artifacts each, as lines. */
async function exportFinished(): Promise<string[]> {
  const source = createMemoryStorage()
  for (let index = 0; index < TASKS; index += 1) {
    const id = toTaskId(String(index).padStart(2, "0"))
    const commands = [submission("ann", EDIT), dispatch(), success(EDIT, IMAGES)]
    await source.append(toAppend(createStream(id, commands)))
  }
  return exportLines(source, true, EARLY)
}

/** Every artifact is there to be read, and none where it goes to. */
function toCopy(restore: (request: ArtifactRestore) => Promise<RestoreOutcome>): ArtifactCopy {
  const reader = { totalBytes: 1, read: async () => 0, close: async () => {} }
  const { open } = createMemoryArtifacts()
  return { from: { open: async () => reader }, to: { open, restore } }
}

async function take(artifacts: ArtifactCopy) {
  const lines = await exportFinished()
  const storage = createMemoryStorage()
  return importStreams({ storage, open: toFile(lines), digest: sha256, now: EARLY, artifacts })
}

describe("artifacts that are copied", () => {
  it("are four at once, since each holds parts of a file in memory", async () => {
    let [underWay, most] = [0, 0]
    const restore = async (): Promise<RestoreOutcome> => {
      underWay += 1
      most = Math.max(most, underWay)
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      underWay -= 1
      return "stored"
    }
    const { artifacts } = await take(toCopy(restore))
    assert.equal(artifacts?.copied, 2 * TASKS)
    assert.equal(most, 4)
  })

  it("are given up behind the first that meets an outage", async () => {
    let calls = 0
    const restore = async (): Promise<RestoreOutcome> => {
      calls += 1
      await setImmediate()
      throw new SafelightError({ code: "artifacts-unavailable", message: "the bucket is away" })
    }
    await assert.rejects(take(toCopy(restore)), { code: "artifacts-unavailable" })
    assert.equal(calls, 4)
  })
})
