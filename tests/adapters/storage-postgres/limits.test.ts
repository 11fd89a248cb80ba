/** Bounds of accounts where several nodes admit at once, and one of them sets the bound. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { open, toTasks } from "./open.ts"

describe("limits of an account", () => {
  it("hold over nodes that admit at once", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    await opened.storage.setAccount({ id: "account", now: 1, settings: { unfinishedTasks: 17 } })
    const admissions = [opened.storage, other].flatMap((storage, node) =>
      toTasks(60, `node-${node}`).map(({ append }) => storage.admit({ append })),
    )
    const outcomes = await Promise.all(admissions)
    assert.equal(outcomes.filter(({ kind }) => kind === "admitted").length, 17)
    const [totals] = await opened.storage.scanTotals()
    assert.equal(totals?.kept?.unfinishedTasks, 17)
    assert.deepEqual(totals.kept, totals.counted)
  })

  it("count every task where the first one is set amid admissions", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    for (let round = 0; round < 20; round += 1) {
      const id = `account-${round}`
      const samples = toTasks(80, id).map(({ append }) => ({
        ...append,
        changes: { ...append.changes, task: { ...append.changes.task, account: id } },
      }))
      const admissions = samples.map((append, index) =>
        (index % 2 === 0 ? opened.storage : other).admit({ append }),
      )
      const settings = { unfinishedTasks: 1_000 }
      await Promise.all([...admissions, other.setAccount({ id, now: 1, settings })])
    }
    const all = await opened.storage.scanTotals()
    assert.equal(all.length, 20)
    for (const { account, kept, counted } of all) {
      assert.equal(counted.unfinishedTasks, 80, account)
      assert.deepEqual(kept, counted, account)
    }
  })

  it("give an idempotency key to one task, whichever node is asked", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    const idempotency = { key: "key", fingerprint: "ab".repeat(32), usedAt: 1_000 }
    const admissions = [opened.storage, other].flatMap((storage, node) =>
      toTasks(20, `node-${node}`).map(({ append }) => storage.admit({ append, idempotency })),
    )
    const outcomes = await Promise.all(admissions)
    assert.equal(outcomes.filter(({ kind }) => kind === "admitted").length, 1)
    const known = new Set(outcomes.flatMap((each) => (each.kind === "known" ? each.task : [])))
    assert.equal(known.size, 1)
    const { streams } = await opened.storage.scan({ after: "", limit: 100 })
    assert.deepEqual(
      streams.map(({ id }) => id),
      [...known],
    )
  })

  it("keep idempotency keys apart where accounts and keys hold line breaks", async () => {
    await using opened = await open({ lanes: 1 })
    const names = [
      { account: "ada\nbob", key: "carol" },
      { account: "ada", key: "bob\ncarol" },
      // Twice: the batch falls, and is judged.
      { account: "eve", key: "key" },
      { account: "eve", key: "key" },
    ]
    const samples = toTasks(names.length)
    const admissions = names.map(({ account, key }, index) => {
      const { append } = samples[index] ?? assert.fail()
      const task = { ...append.changes.task, account }
      return opened.storage.admit({
        append: { ...append, changes: { ...append.changes, task } },
        idempotency: { key, fingerprint: "ab".repeat(32), usedAt: 1_000 },
      })
    })
    const kinds = (await Promise.all(admissions)).map(({ kind }) => kind)
    assert.deepEqual(kinds, ["admitted", "admitted", "admitted", "known"])
  })
})
