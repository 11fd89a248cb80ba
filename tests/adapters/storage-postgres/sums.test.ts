/** Questions that take long, and who must not wait for them. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSafelightError } from "@safelight/core"
import type { Statement } from "@safelight/store"
import { DEFAULTS } from "../../../adapters/storage-postgres/src/defaults.ts"
import { createSums } from "../../../adapters/storage-postgres/src/sums.ts"
import { createFakeConnection } from "./fake-connection.ts"
import { open, toTasks, until } from "./open.ts"
import { FACTS } from "../../support/lease-facts.ts"

const { mostSums, mostSumsOfAccount } = DEFAULTS
const STATEMENT: Statement<{ readonly account: string }, { readonly account: string }> = {
  sql: "select $1",
  parameters: [{ name: "account" }],
  columns: [{ name: "account" }],
}

/** Sums over one connection that answers when it is told to. */
function createHeldSums() {
  const asked: string[] = []
  const held: (() => void)[] = []
  let opened = 0
  const sums = createSums(async () => {
    opened += 1
    return {
      ...createFakeConnection(),
      async runStep({ values }) {
        asked.push(String(values[0]))
        await new Promise<void>((resolve) => held.push(resolve))
        return [values]
      },
    }
  })
  return {
    asked,
    opened: () => opened,
    async sum(account: string, of?: string) {
      const rows = await sums.read(STATEMENT, { account }, of ?? account)
      return rows.map((row) => row.account)
    },
    /** Answers what is asked, and resolves once the next is. */
    async answer() {
      await until(() => held.length > 0)
      held.shift()?.()
    },
    close: sums.close,
  }
}

function isOverloaded(error: unknown): true {
  assert.ok(isSafelightError(error))
  const { code, retryable, retryAfterMs } = error
  assert.deepEqual([code, retryable, retryAfterMs], ["overloaded", true, 1_000])
  return true
}

describe("sums", () => {
  it("go one at a time, and the same question is answered once for all who wait", async () => {
    const world = createHeldSums()
    const first = world.sum("ada")
    await until(() => world.asked.length === 1)
    // Asked behind the first, each may have to see a newer commit than it did.
    const others = Array.from({ length: 40 }, () => world.sum("ada"))
    const other = world.sum("grace")
    assert.deepEqual(world.asked, ["ada"])
    await world.answer()
    assert.deepEqual(await first, ["ada"])
    await world.answer()
    for (const rows of await Promise.all(others)) assert.deepEqual(rows, ["ada"])
    await world.answer()
    assert.deepEqual(await other, ["grace"])
    assert.deepEqual(world.asked, ["ada", "ada", "grace"])
    assert.equal(world.opened(), 1)
    world.close()
  })

  it("that are too many are refused at once, and taken again once there is room", async () => {
    const world = createHeldSums()
    const taken = Array.from({ length: mostSums }, (_, index) => world.sum(`account-${index}`))
    await assert.rejects(world.sum("late"), isOverloaded)
    await world.answer()
    await taken[0]
    const late = world.sum("late")
    for (const sum of taken.slice(1)) {
      await world.answer()
      await sum
    }
    await world.answer()
    assert.deepEqual(await late, ["late"])
    world.close()
  })

  it("of one account leave room for those of others", async () => {
    const world = createHeldSums()
    const many = Array.from({ length: mostSumsOfAccount }, (_, index) =>
      world.sum(`period-${index}`, "ada"),
    )
    await assert.rejects(world.sum("one more", "ada"), isOverloaded)
    const other = world.sum("grace")
    for (const sum of many) {
      await world.answer()
      await sum
    }
    await world.answer()
    assert.deepEqual(await other, ["grace"])
    world.close()
  })

  it("hold up no look-up, no heartbeat and no claim", async () => {
    await using opened = await open()
    const { storage } = opened
    const [{ append, head } = assert.fail()] = toTasks(1)
    await storage.append(append)
    const period = { from: 0, to: 2_000 }
    const other = await opened.connect()
    await other.query("begin; lock table charges in access exclusive mode")
    const sums = [
      ...Array.from({ length: 10 }, (_, index) =>
        storage.sumCharges({ account: `account-${index}`, ...period }),
      ),
      storage.readTotals("account"),
      storage.scan({ after: "", limit: 10 }),
    ]
    await until(async () => {
      const waiting = await opened.execute(`
        select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'safelight summing'
          and wait_event_type = 'Lock'`)
      return waiting.length === 1
    })
    // Many more than there are connections: none of them may be one that a sum has.
    for (let round = 0; round < 10; round += 1) {
      assert.deepEqual(await storage.readTask("task-0"), head)
      assert.deepEqual(await storage.listKeys(), [])
      await storage.heartbeat({ lease: "lease", beats: round + 1, facts: FACTS })
      assert.equal(await storage.expire({ lease: "other", beats: 1 }), false)
      const request = { models: ["model-a"], now: 2_000, limit: 1, lease: "lease" }
      await storage.take(request)
      await storage.check()
    }
    await other.query("commit")
    await Promise.all(sums)
  })
})
