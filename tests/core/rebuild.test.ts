/** Rebuilding rows from the log, while others append to it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAudit, rebuildRows } from "@safelight/audit"
import {
  DEFAULT_PRICES,
  MODELS,
  type Json,
  PROJECTION,
  toCanonicalJson,
  type Task,
  type TaskRow,
} from "@safelight/core"
import { advanceSample, submitSample } from "@safelight/testkit"
import { createTransferSource, toTaskId } from "./support/transfer-source.ts"
import { sha256 } from "./support/sha256.ts"

type Storage = Awaited<ReturnType<typeof createTransferSource>>

async function readRows(storage: Storage): Promise<readonly (TaskRow | undefined)[]> {
  const { streams } = await storage.scan({ after: "", limit: 100 })
  return streams.map(({ row }) => row)
}

/** Has every row be one of an older release, which knew no `priceVersion`. */
async function makeOlder(storage: Storage): Promise<void> {
  for (const row of await readRows(storage)) {
    assert.ok(row !== undefined)
    const { priceVersion: _, ...rest } = JSON.parse(row.snapshot) as Task
    const snapshot = toCanonicalJson({ ...rest, projection: PROJECTION - 1 })
    await storage.replaceTaskRow({ ...row, snapshot })
  }
}

describe("a rebuild", () => {
  it("makes the rows that the log makes, page by page, and says how far it is", async () => {
    const storage = await createTransferSource()
    const before = await readRows(storage)
    await makeOlder(storage)
    assert.notDeepEqual(await readRows(storage), before)
    const told: number[] = []
    const report = await rebuildRows({ storage, now: 0, pageStreams: 4 }, ({ rebuilt }) =>
      told.push(rebuilt),
    )
    assert.deepEqual(report, { tasks: 11, rebuilt: 11, left: [], leftCount: 0 })
    assert.deepEqual(told, [4, 8, 11])
    assert.deepEqual(await readRows(storage), before)
    const options = { storage, digest: sha256, prices: DEFAULT_PRICES, models: MODELS }
    const { foreignRows, outcome } = await createAudit(options).replay()
    assert.deepEqual([outcome, foreignRows], ["whole", 0])
  })

  it("writes nothing where all is as it should be, in whatever order a release wrote it", async () => {
    const storage = await createTransferSource()
    const [row] = await readRows(storage)
    assert.ok(row !== undefined)
    const snapshot = toCanonicalJson(JSON.parse(row.snapshot) as Json)
    assert.notEqual(snapshot, row.snapshot)
    await storage.replaceTaskRow({ ...row, snapshot })
    storage.replaceTaskRow = () => assert.fail("a row was written")
    assert.equal((await rebuildRows({ storage, now: 0 })).rebuilt, 0)
  })

  it("puts every task back where it belongs, and moves none that is there", async () => {
    const storage = await createTransferSource()
    const readPlaces = async () => {
      const { streams } = await storage.scan({ after: "", limit: 100 })
      return streams.map(({ ready, retainedAt }) => [ready, retainedAt !== undefined])
    }
    const before = await readPlaces()
    for (const row of await readRows(storage)) {
      assert.ok(row !== undefined)
      const isOver = row.status === "succeeded" || row.status === "failed"
      const place = isOver
        ? { ready: { dueAt: 1, endBy: 2 }, retainAt: null }
        : { ready: null, retainAt: 7 }
      await storage.replaceTaskRow(row, place)
    }
    assert.notDeepEqual(await readPlaces(), before)
    const audit = createAudit({ storage, digest: sha256, prices: DEFAULT_PRICES, models: MODELS })
    assert.equal((await audit.replay()).outcome, "differs")
    assert.equal((await rebuildRows({ storage, now: 5_000 })).rebuilt, 11)
    assert.equal((await audit.replay()).outcome, "whole")
    assert.deepEqual(await readPlaces(), before)
    assert.equal((await rebuildRows({ storage, now: 5_000 })).rebuilt, 0)
  })

  it("takes nothing back that was appended after it had read the task", async () => {
    const storage = await createTransferSource()
    const { append, head } = submitSample({ id: toTaskId("z") })
    await storage.append(append)
    await makeOlder(storage)
    const { replaceTaskRow } = storage
    storage.replaceTaskRow = async (row) => {
      if (row.id === head.task.id) {
        const fail = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
        await storage.append(advanceSample(head, [fail]).append)
      }
      await replaceTaskRow(row)
    }
    await rebuildRows({ storage, now: 0 })
    const found = await storage.readTask(head.task.id)
    assert.deepEqual([found?.task.state, found?.task.version], ["failed", 2])
  })

  it("leaves a row that is not of its newest event, and names its task", async () => {
    const storage = await createTransferSource()
    const { scan } = storage
    storage.scan = async (request) => {
      const page = await scan(request)
      const [first, ...rest] = page.streams
      assert.ok(first !== undefined)
      return { ...page, streams: [{ ...first, row: undefined }, ...rest] }
    }
    const { left, leftCount } = await rebuildRows({ storage, now: 0 })
    const reason = "its row is not of its newest event"
    assert.deepEqual([left, leftCount], [[{ task: toTaskId("0"), reason }], 1])
  })

  it("refuses a page that is no positive integer, and reads nothing", async () => {
    const storage = await createTransferSource()
    storage.scan = () => assert.fail("a page was read")
    for (const pageStreams of [0, 1.5, Number.NaN]) {
      await assert.rejects(rebuildRows({ storage, now: 0, pageStreams }), {
        code: "invalid-configuration",
        message: "pageStreams must be a positive integer",
      })
    }
  })
})
