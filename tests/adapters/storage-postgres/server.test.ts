/** What is asked of the server itself. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { open } from "./open.ts"

describe("the server's clock", () => {
  it("is read in whole milliseconds, whatever this process's own clock says", async (t) => {
    await using opened = await open()
    const readServer = async () => {
      const [row] = await opened.execute<{ now: string }>(
        "select extract(epoch from clock_timestamp()) * 1000 as now",
      )
      return Number(row?.now)
    }
    const ahead = Date.now() + 3_600_000
    t.mock.method(Date, "now", () => ahead)
    const before = await readServer()
    const read = await opened.storage.readClock?.()
    const after = await readServer()
    assert.ok(read !== undefined && Number.isInteger(read))
    assert.ok(Math.floor(before) <= read && read <= after, `${before} ${read} ${after}`)
  })

  it("goes on within a storage that is read again", async () => {
    await using opened = await open()
    const first = (await opened.storage.readClock?.()) ?? assert.fail()
    for (let read = first; read <= first;) read = (await opened.storage.readClock?.()) ?? 0
  })
})
