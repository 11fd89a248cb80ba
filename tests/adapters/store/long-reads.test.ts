/** Questions that take long: one at a time, shared by whoever waits, and only so many. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSafelightError } from "@safelight/core"
import { createLongReads, MOST_OF_ACCOUNT, MOST_WAITING, type Statement } from "@safelight/store"
import { until } from "./fake-connection.ts"

const STATEMENT: Statement<{ readonly account: string }, { readonly account: string }> = {
  sql: "select $1",
  parameters: [{ name: "account" }],
  columns: [{ name: "account" }],
}

/** Sums of a database that answers when it is told to. */
function createHeldSums() {
  const asked: string[] = []
  const held: (() => void)[] = []
  const sums = createLongReads(async ([part]) => {
    const values = part?.step.values ?? []
    asked.push(String(values[0]))
    await new Promise<void>((resolve) => held.push(resolve))
    return [[values]]
  })
  return {
    asked,
    async sum(account: string, of?: string) {
      const rows = await sums.readLong(STATEMENT, { account }, of ?? account)
      return rows.map((row) => row.account)
    },
    /** Answers what is asked, once something is. */
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
    world.close()
  })

  it("that are too many are refused at once, and taken again once there is room", async () => {
    const world = createHeldSums()
    // One is being answered, the others wait.
    const taken = Array.from({ length: 1 + MOST_WAITING }, (_, index) =>
      world.sum(`account-${index}`),
    )
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
    const many = Array.from({ length: 1 + MOST_OF_ACCOUNT }, (_, index) =>
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

  it("that wait are refused once the storage is closed", async () => {
    const world = createHeldSums()
    const first = world.sum("ada")
    const refused = assert.rejects(world.sum("grace"), { code: "storage-unavailable" })
    world.close()
    await refused
    await assert.rejects(world.sum("late"), { code: "storage-unavailable" })
    await world.answer()
    assert.deepEqual(await first, ["ada"])
  })
})
