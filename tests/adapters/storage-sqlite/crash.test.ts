/** A kill -9 amid a stream of admissions and appends: what was acknowledged is there, the rest whole or absent. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import type { Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { CRASH_ACCOUNT, toCrashSample, toCrashUse } from "./crash-sample.ts"

const CHILD = join(import.meta.dirname, "appending-process.ts")

describe("a process killed while it appends", () => {
  // Thousands of synced appends, and all of them read again: a busy machine takes its time.
  it(
    "loses nothing it acknowledged and leaves nothing by halves",
    { timeout: 120_000 },
    async () => {
      await using folder = await createTemporaryFolder()
      const acknowledged = new Set<number>()
      let start = 0
      // Killed early, in full flow, and past a checkpoint's worth of log.
      for (const count of [1, 40, 3_000]) {
        for (const index of await appendUntilKilled(folder.path, start, count)) {
          acknowledged.add(index)
        }
        // Serving again shows that the kill gave up the lock.
        const storage = await createSqliteStorage({ folder: folder.path })
        start = await judge(storage, folder.path, acknowledged)
        await storage.close()
      }
      assert.ok(acknowledged.size >= 3_041)
    },
  )

  it("holds nothing once another process serves", async () => {
    await using folder = await createTemporaryFolder()
    await appendUntilKilled(folder.path, 0, 200)
    const storage = await createSqliteStorage({ folder: folder.path })
    const { streams } = await storage.scan({ after: "", limit: 100_000 })
    const unfinished = streams.filter(({ row }) => row?.status === "queued").map(({ id }) => id)
    const request = { models: ["model-a"], now: 1_000, limit: 100, lease: "c" }
    const claimed = (await storage.take(request)).map(({ task }) => task.id)
    assert.deepEqual(claimed.toSorted(), unfinished.toSorted())
    await storage.close()
  })
})

/** Runs a child until it acknowledged `count` tasks, kills it, and returns all it acknowledged. */
async function appendUntilKilled(folder: string, start: number, count: number): Promise<number[]> {
  const child = spawn(
    process.execPath,
    ["--conditions=@safelight/source", CHILD, folder, String(start)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  const exited = once(child, "exit")
  const acknowledged: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line))
    if (acknowledged.length === count) child.kill("SIGKILL")
  }
  const [, signal] = await exited
  assert.equal(signal, "SIGKILL", "the child ended by itself")
  return acknowledged
}

/** Checks every stream; returns an index that no stream has. */
async function judge(
  storage: Storage,
  folder: string,
  acknowledged: ReadonlySet<number>,
): Promise<number> {
  const found = new Set<number>()
  for (let after: string | null = ""; after !== null;) {
    const page = await storage.scan({ after, limit: 500 })
    for (const { id, events, row, charge } of page.streams) {
      const index = Number(id.slice("task-".length))
      found.add(index)
      const [submitted, succeeded] = toCrashSample(index)
      const isDone = events.length > 1
      assert.ok(isDone || !acknowledged.has(index), `${id} lost an acknowledged append`)
      const last = isDone ? succeeded : submitted
      const expected = [submitted, ...(isDone ? [succeeded] : [])]
      assert.deepEqual(
        events,
        expected.flatMap(({ append }) => append.events),
      )
      assert.deepEqual(row, last.append.changes.task)
      assert.deepEqual(charge, last.append.changes.charge)
      for (const input of expected.flatMap(({ append }) => append.inputs ?? [])) {
        assert.deepEqual(await storage.readInput(input), input)
      }
    }
    after = page.next
  }
  for (const index of acknowledged) assert.ok(found.has(index), `task-${index} is lost`)
  await judgeAdmissions(storage, folder, found)
  return Math.max(-1, ...found) + 1
}

/** Checks that tasks, totals and keys speak of the same admissions. */
async function judgeAdmissions(
  storage: Storage,
  folder: string,
  found: ReadonlySet<number>,
): Promise<void> {
  const [totals] = await storage.scanTotals()
  assert.equal(totals?.account, CRASH_ACCOUNT.id)
  assert.deepEqual(totals.kept, totals.counted)
  const database = new DatabaseSync(join(folder, "safelight.db"))
  const uses = database.prepare("select key, task from idempotency").all()
  database.close()
  const known = new Map(uses.map(({ key, task }) => [key, task]))
  const admitted = [...found].map((index) => [toCrashUse(index).key, `task-${index}`] as const)
  assert.deepEqual(known, new Map(admitted))
}
