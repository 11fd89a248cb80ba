/** The tasks that come with the entries of a feed. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import type { Append, ReadEntry, Storage } from "@safelight/core"
import { createStorage, type Driver } from "@safelight/store"
import { advanceSample, dispatchSample, submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createSmallDriver } from "./small-driver.ts"

const { account } = submitSample({ id: "t" }).append.changes.task

/** The feed of what was appended, read by the storage that did it. */
async function readAfter(
  appends: readonly Append[],
  change: (driver: Driver) => Driver = (driver) => driver,
): Promise<readonly ReadEntry[]> {
  await using folder = await createTemporaryFolder()
  const storage: Storage = createStorage(
    change(await createSmallDriver(join(folder.path, "small.db"))),
  )
  try {
    await storage.openFeed({ account, until: 50 })
    for (const append of appends) await storage.append(append)
    return await storage.readFeed({ account, after: 0, limit: 2_000 })
  } finally {
    await storage.close()
  }
}

test("what this process appended comes with its entry, each version by itself", async () => {
  const submitted = submitSample({ id: "t" })
  const dispatched = advanceSample(submitted.head, [dispatchSample()], { now: 2_000 })
  const entries = await readAfter([submitted.append, dispatched.append])
  assert.deepEqual(
    entries.map(({ head }) => head),
    [submitted.head, dispatched.head],
  )
})

for (const [what, other] of [
  ["at another time", { at: 9_999 }],
  ["of another type", { type: "failed" }],
] as const) {
  test(`an event ${what} that took the version of a lost one comes without a task`, async () => {
    const entries = await readAfter([submitSample({ id: "t" }).append], (driver) => ({
      ...driver,
      async read(statement, values) {
        const rows = await driver.read(statement, values)
        if (!statement.sql.includes('from "feed_entries"')) return rows
        return rows.map((row) => ({ ...row, ...other }))
      },
    }))
    assert.deepEqual(
      entries.map(({ task, head }) => [task, head]),
      [["t", undefined]],
    )
  })
}

test("tasks with much text are not kept, and of the others the newest", async () => {
  const parameters = { prompt: "x".repeat(40_000) }
  const large = submitSample({ id: "large", submitted: { parameters } })
  const small = Array.from({ length: 1_025 }, (_, index) => submitSample({ id: `t${index}` }))
  const entries = await readAfter([...small, large].map(({ append }) => append))
  assert.deepEqual(
    entries.filter(({ head }) => head === undefined).map(({ task }) => task),
    ["t0", "large"],
  )
})
