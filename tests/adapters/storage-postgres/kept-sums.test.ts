/** Sums of hours that are kept, while other processes write: none is ever without an outcome. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { rebuildRows } from "@safelight/audit"
import { until } from "../../support/until.ts"
import { open, type Opened } from "./open.ts"

const HOUR_MS = 3_600_000
const PERIOD = { from: HOUR_MS, to: 3 * HOUR_MS }
const KEEP = { endedBefore: 3 * HOUR_MS, limit: 10 }

/** An attempt that ended in hour 1, of a task that is nowhere else. */
function toInsert(task: string): string {
  return `insert into outcomes (task, attempt, at, channel, charge_micros, cost_micros, cost_source, dispatched_at, model, outcome)
    values ('${task}', 1, ${HOUR_MS + 5}, 'a', 7, 0, 'none', ${HOUR_MS}, 'm', 'succeeded')`
}

async function openWithTask(): Promise<Opened> {
  const opened = await open()
  await opened.execute(`
    insert into tasks (task, created_at, account, model, finished_at, hash, reservation_micros, snapshot, status, version)
    values ('t', 1, 'account', 'm', 1, '', 0, '{}', 'succeeded', 1)`)
  return opened
}

async function countSucceeded({ storage }: Opened): Promise<number> {
  return (await storage.listChannelHours(PERIOD)).reduce((sum, { succeeded }) => sum + succeeded, 0)
}

async function listSummed(opened: Opened): Promise<readonly unknown[]> {
  return opened.execute("select hour::int from summed_hours where summing = 0 order by hour")
}

async function untilLocked(opened: Opened, sessions: number): Promise<void> {
  await until(async () => {
    const waiting = await opened.execute(`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length === sessions
  })
}

describe("kept sums", () => {
  it("answer for hours as a whole, and the outcomes for the rest", async () => {
    await using opened = await openWithTask()
    for (const task of ["one", "two"]) await opened.execute(toInsert(task))
    await opened.storage.sumHours(KEEP)
    assert.deepEqual(await listSummed(opened), [{ hour: 0 }, { hour: 1 }, { hour: 2 }])
    // Nothing of ours deletes one: so it shows what an answer is made of.
    await opened.execute("delete from outcomes where task = 'one'")
    assert.equal(await countSucceeded(opened), 2)
    const { storage } = opened
    const [part] = await storage.listChannelHours({ from: HOUR_MS + 1, to: 3 * HOUR_MS })
    assert.equal(part?.succeeded, 1)
    const { sumOutcomes, groupOutcomes } = storage
    assert.equal((await sumOutcomes(PERIOD))[0]?.succeeded, 2)
    for (const by of ["day", "model", "channel"] as const)
      assert.equal((await groupOutcomes({ ...PERIOD, by, limit: 1 }))[0]?.succeeded, 2)
  })

  it("that are damaged are made again once a rebuild forgot them", async () => {
    await using opened = await openWithTask()
    const { storage } = opened
    await opened.execute(toInsert("one"))
    await storage.sumHours(KEEP)
    await opened.execute("update outcome_sums set succeeded = 9")
    assert.equal(await countSucceeded(opened), 9)
    await rebuildRows({ storage, now: 0 })
    assert.equal(await countSucceeded(opened), 1)
    await storage.sumHours(KEEP)
    assert.equal(await countSucceeded(opened), 1)
    assert.equal((await listSummed(opened)).length, 3)
  })

  it("wait for outcomes that were inserted before and are not committed", async () => {
    await using opened = await openWithTask()
    const writer = await opened.connect()
    await writer.query(`begin; ${toInsert("early")}`)
    const kept = opened.storage.sumHours(KEEP)
    await untilLocked(opened, 1)
    await writer.query("commit")
    await kept
    assert.equal((await listSummed(opened)).length, 3)
    assert.equal(await countSucceeded(opened), 1)
  })

  it("are given up where an outcome is inserted after its hour was claimed", async () => {
    await using opened = await openWithTask()
    await opened.execute(toInsert("one"))
    const reader = await opened.connect()
    // The newest hour waits here, once all are claimed.
    await reader.query("begin; lock table outcome_sums in access exclusive mode")
    const kept = opened.storage.sumHours(KEEP)
    await untilLocked(opened, 1)
    await opened.execute(toInsert("two"))
    await reader.query("commit")
    await kept
    assert.deepEqual(await listSummed(opened), [{ hour: 0 }, { hour: 2 }])
    assert.equal(await countSucceeded(opened), 2)
    await opened.storage.sumHours(KEEP)
    assert.equal((await listSummed(opened)).length, 3)
    assert.equal(await countSucceeded(opened), 2)
  })

  it("are not used while they are summed, and are claimed again if whoever summed them is gone", async () => {
    await using opened = await openWithTask()
    await opened.execute(toInsert("one"))
    await opened.execute("insert into summed_hours (hour, summing) values (1, 5)")
    assert.equal(await countSucceeded(opened), 1)
    assert.equal(await opened.storage.sumHours(KEEP), 3)
    assert.equal((await listSummed(opened)).length, 3)
    assert.equal(await countSucceeded(opened), 1)
    assert.equal(await opened.storage.sumHours(KEEP), 0)
  })
})
