/** Questions that take long, and who must not wait for them. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { open, toTasks } from "./open.ts"
import { FACTS } from "../../support/lease-facts.ts"
import { until } from "../../support/until.ts"

describe("sums", () => {
  it("hold up no look-up, no heartbeat and no taking", async () => {
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
      await storage.heartbeat({ lease: "lease", heartbeats: round + 1, facts: FACTS })
      assert.equal(await storage.expire({ lease: "other", heartbeats: 1 }), false)
      const request = { models: ["model-a"], now: 2_000, limit: 1, lease: "lease" }
      await storage.take(request)
      await storage.check()
    }
    await other.query("commit")
    await Promise.all(sums)
  })
})
