/** A feed that one process watches while another one appends: the news crosses at once, and not at the next look. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Storage } from "@safelight/core"
import { submitSample } from "@safelight/testkit"
import { until } from "../../support/until.ts"
import { open } from "./open.ts"

const account = submitSample({ id: "t" }).append.changes.task.account

describe("a process that appends and watches nothing", () => {
  it("tells those who watch of a feed that was there before it", async () => {
    await using watching = await open()
    await watching.storage.openFeed({ account, until: Date.now() + 60_000 })
    const told: string[] = []
    watching.storage.onFed((each) => told.push(each))
    const appending = await watching.openBeside()
    await untilTold(appending, watching.storage, told)
  })

  it("tells those who watch of a feed that began after its first append", async () => {
    await using watching = await open()
    const told: string[] = []
    watching.storage.onFed((each) => told.push(each))
    const appending = await watching.openBeside()
    await appending.append(submitSample({ id: "before" }).append)
    await watching.storage.openFeed({ account, until: Date.now() + 60_000 })
    await untilTold(appending, watching.storage, told)
  })
})

/** What is appended before the process has heard that somebody watches is not told. */
async function untilTold(
  storage: Storage,
  watching: Pick<Storage, "noteWatched">,
  told: readonly string[],
): Promise<void> {
  let count = 0
  await until(async () => {
    watching.noteWatched?.([account])
    await storage.append(submitSample({ id: `t-${(count += 1)}` }).append)
    return told.includes(account)
  })
  assert.deepEqual([...new Set(told)], [account])
}
