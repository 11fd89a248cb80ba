/** Pages that the disk fails to give now and then, of which SQLite says that the database is damaged. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, it } from "node:test"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { skipWithoutStrace, startTraced } from "./traced-process.ts"

const CHILD = join(import.meta.dirname, "reading-process.ts")
const TASKS = 300
/** Behind the reads of opening; then each time the second one succeeds. */
const EVERY_FIFTIETH = "200+50"

describe("a read that the disk fails once", { skip: skipWithoutStrace }, () => {
  it("is made again, and nothing is called damaged", async () => {
    await using folder = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    for (let index = 0; index < TASKS; index += 1) {
      const task = `t${index}`
      const inputs = [{ task, name: "request", salt: "00", body: "x".repeat(40_000) }]
      await storage.append(submitSample({ id: task, inputs }).append)
    }
    await storage.close()

    const file = join(folder.path, "safelight.db")
    const injection = { calls: "pread64", when: EVERY_FIFTIETH, file }
    const { child } = startTraced(injection, [CHILD, folder.path, String(TASKS)])
    const [output] = await Promise.all([text(child.stdout), once(child, "close")])
    assert.deepEqual(JSON.parse(output), { read: 3 * TASKS })
  })
})
