/** The group commit: what goes together, what falls alone, and what a lost reply comes to. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSafelightError, type Append } from "@safelight/core"
import { advanceSample, dispatchSample } from "@safelight/testkit"
import { open, openThroughProxy, toTasks } from "./open.ts"
import { until } from "../../support/until.ts"

/** A name that only this append has: U+0000 is what PostgreSQL's text can't hold. */
function poison(append: Append): Append {
  const [event] = append.events
  assert.ok(event)
  return { ...append, events: [{ ...event, data: "\0" }] }
}

describe("appends that wait together", () => {
  it("are committed together, in few batches", async () => {
    const sizes: number[] = []
    await using opened = await open({ onCommit: ({ changes }) => sizes.push(changes) })
    await Promise.all(toTasks(200).map(({ append }) => opened.storage.append(append)))
    assert.equal(
      sizes.reduce((sum, size) => sum + size),
      200,
    )
    assert.ok(sizes.length <= 4, `${sizes.length} batches`)
  })

  it("fall alone where one can't be stored", async () => {
    await using opened = await open()
    const samples = toTasks(40)
    const results = await Promise.allSettled(
      samples.map(({ append }, index) =>
        opened.storage.append(index % 13 === 5 ? poison(append) : append),
      ),
    )
    for (const [index, result] of results.entries()) {
      const isPoison = index % 13 === 5
      assert.equal(result.status, isPoison ? "rejected" : "fulfilled", `task-${index}`)
      const head = await opened.storage.readTask(`task-${index}`)
      assert.deepEqual(head, isPoison ? undefined : samples[index]?.head)
      if (result.status === "rejected") {
        const { reason } = result as { reason: unknown }
        assert.ok(isSafelightError(reason))
        assert.deepEqual([reason.code, reason.retryable], ["storage-unavailable", false])
      }
    }
  })

  it("lose the race for a version alone, one node against another", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    const samples = toTasks(60)
    await Promise.all(samples.map(({ append }) => opened.storage.append(append)))
    const moves = (claim: number) =>
      samples.map(({ head }) => advanceSample(head, [dispatchSample(claim)]))
    const results = await Promise.all(
      [opened.storage, other].map((storage, node) =>
        Promise.allSettled(moves(node + 1).map(({ append }) => storage.append(append))),
      ),
    )
    for (const index of samples.keys()) {
      const won = results.filter((node) => node[index]?.status === "fulfilled")
      assert.equal(won.length, 1, `task-${index}`)
      assert.equal((await opened.storage.readEvents(`task-${index}`)).length, 2)
    }
  })
})

describe("a commit whose reply is lost", () => {
  for (const when of ["answered", "sent"] as const) {
    it(`is found stored, or stored once more (${when})`, async () => {
      await using opened = await open()
      await using proxied = await openThroughProxy(opened)
      const { proxy, storage } = proxied
      const samples = toTasks(30)
      const lost = proxy.loseReply((bytes) => bytes.includes("task-7"), when)
      const stored = Promise.all(samples.map(({ append }) => storage.append(append)))
      await lost
      await stored
      for (const { append, head } of samples) {
        assert.deepEqual(await storage.readTask(append.task), head)
        assert.deepEqual(await storage.readEvents(append.task), append.events)
      }
    })
  }

  it("of an admission is admitted once, with its key and its totals", async () => {
    await using opened = await open()
    await using proxied = await openThroughProxy(opened)
    const { proxy, storage } = proxied
    const settings = { unfinishedTasks: 1 }
    await storage.setAccount({ id: "account", now: 1, settings })
    const [{ append } = assert.fail()] = toTasks(1)
    const lost = proxy.loseReply((bytes) => bytes.includes("task-0"), "answered")
    const idempotency = { key: "key", fingerprint: "ab".repeat(32), usedAt: 1_000 }
    const admission = storage.admit({ append, idempotency })
    await lost
    assert.deepEqual(await admission, { kind: "admitted" })
    const [totals] = await storage.scanTotals()
    assert.deepEqual(totals?.kept, totals?.counted)
    assert.equal(totals?.kept?.unfinishedTasks, 1)
  })
})

describe("a database that is gone", () => {
  it("refuses what was never sent, retryably, and takes it once it is back", async () => {
    await using opened = await open()
    await using proxied = await openThroughProxy(opened)
    const { proxy, storage } = proxied
    const [{ append } = assert.fail()] = toTasks(1)
    proxy.accept("closed")
    proxy.cut()
    await until(() => proxy.count() === 0)
    await assert.rejects(storage.check())
    await assert.rejects(storage.admit({ append }), (error) => {
      assert.ok(isSafelightError(error))
      assert.deepEqual([error.code, error.retryable], ["storage-unavailable", true])
      return true
    })
    await assert.rejects(storage.readTask("task-0"))
    proxy.accept("forwarded")
    assert.deepEqual(await storage.admit({ append }), { kind: "admitted" })
  })

  it("holds a commit up while somebody else holds the row, and no longer", async () => {
    await using opened = await open()
    const [{ append, head } = assert.fail()] = toTasks(1)
    await opened.storage.append(append)
    const other = await opened.connect()
    await other.query("begin; select 1 from tasks where task = 'task-0' for update")
    let isStored = false
    const moved = advanceSample(head, [dispatchSample()])
    const stored = opened.storage.append(moved.append).then(() => (isStored = true))
    await until(async () => {
      const waiting = await opened.execute<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return waiting[0]?.n === 1
    })
    assert.equal(isStored, false)
    await other.query("commit")
    await stored
    assert.deepEqual(await opened.storage.readTask("task-0"), moved.head)
  })
})
