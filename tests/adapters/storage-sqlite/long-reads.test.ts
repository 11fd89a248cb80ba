/** Sums and scans beside everything else: what they may hold up, and how long SQLite's log may get. */
import assert from "node:assert/strict"
import { statSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import { isSafelightError, type Storage } from "@safelight/core"
import { DEFAULTS } from "@safelight/storage-sqlite"
import { MOST_OF_ACCOUNT, MOST_WAITING } from "@safelight/store"
import { submitSample } from "@safelight/testkit"
import { open } from "./open.ts"

describe("sums that are added up one behind the other", () => {
  it("let the log begin anew, so that its file stays within a limit", async () => {
    await using opened = await open({})
    const { storage } = opened
    const database = opened.connect()
    addCharges(database, { account: "large", count: 100_000 })
    const file = String(database.location()) + "-wal"

    const writing = new AbortController()
    const askWithoutPause = async (account: string): Promise<void> => {
      while (!writing.signal.aborted) await storage.sumCharges({ account, from: 0, to: 9_000 })
    }
    const readers = ["large", "large", "small", "large"].map(askWithoutPause)
    let longest = 0
    for (let index = 0; index < 60; index += 1) {
      await Promise.all([0, 1, 2].map((part) => writeMegabyte(storage, `t${index}-${part}`)))
      longest = Math.max(longest, statSync(file).size)
      // However slow the machine is, no more than this is written beside one sum.
      if (index % 4 === 3) await storage.sumCharges({ account: "large", from: 0, to: index })
    }
    writing.abort()
    await Promise.all(readers)
    // 180 MB were written; a sum may begin just before the bound, with 12 MB beside it.
    const bound = 1.5 * DEFAULTS.maxLogBytes
    assert.ok(longest < bound, `${longest} bytes of log, ${bound} allowed`)
  })

  it("are bounded in number, each account's too, and the same question is one", async () => {
    await using opened = await open({})
    const { storage } = opened
    addCharges(opened.connect(), { account: "large", count: 20_000 })
    const ask = (account: string, to: number) => storage.sumCharges({ account, from: 0, to })

    const same = await Promise.all(Array.from({ length: 500 }, () => ask("large", 9_000)))
    for (const sums of same) assert.equal(sums[0]?.tasks, 20_000)

    const different = Array.from({ length: 500 }, (_, index) => ask("large", index))
    const other = ask("small", 1)
    const refused = (await Promise.allSettled(different)).filter(isOverloaded)
    // The first is not waiting any more when the last one comes, or it still is.
    const admitted = different.length - refused.length
    assert.ok(
      [MOST_OF_ACCOUNT, MOST_OF_ACCOUNT + 1].includes(admitted),
      `${admitted} waited at once`,
    )
    assert.deepEqual(await other, [])

    const many = Array.from({ length: 500 }, (_, index) => ask(`account-${index}`, 1))
    const all = (await Promise.allSettled(many)).filter((result) => !isOverloaded(result))
    assert.ok([MOST_WAITING, MOST_WAITING + 1].includes(all.length), `${all.length} waited at once`)
  })

  it("see what was stored before they were asked, though the same sum is under way", async () => {
    await using opened = await open({})
    const { storage } = opened
    const database = opened.connect()
    for (let count = 1_000; count <= 5_000; count += 1_000) {
      const earlier = storage.sumCharges({ account: "large", from: 0, to: 9_000 })
      addCharges(database, { account: "large", count: 1_000, first: count })
      const [sum] = await storage.sumCharges({ account: "large", from: 0, to: 9_000 })
      assert.equal(sum?.tasks, count)
      await earlier
    }
  })
})

interface Charges {
  readonly account: string
  readonly count: number
  readonly first?: number
}

/** Rows alone, as many as tasks would take minutes to make. */
function addCharges(database: DatabaseSync, { account, count, first = 0 }: Charges): void {
  database
    .prepare(
      `with recursive numbers(n) as (select ? union all select n + 1 from numbers limit ?)
       insert into charges (task, account, at, billed_input_ms, charge_micros, images, model,
         output_video_ms, price_version)
       select account || '-' || n, account, 1000, 0, 10, 1, 'model-a', 0, '1'
       from numbers, (select ? as account)`,
    )
    .run(first, count, account)
}

async function writeMegabyte(storage: Storage, id: string): Promise<void> {
  const inputs = [{ task: id, name: "request", salt: "00", body: "x".repeat(1_000_000) }]
  await storage.append(submitSample({ id, inputs }).append)
}

function isOverloaded(result: PromiseSettledResult<unknown>): boolean {
  if (result.status === "fulfilled") return false
  assert.ok(isSafelightError(result.reason), String(result.reason))
  assert.equal(result.reason.code, "overloaded")
  return true
}
