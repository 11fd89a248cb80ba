/** `safelight rebuild`: on a folder that a service works in, and on one that is damaged. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"
import { PROJECTION } from "@safelight/core"
import { createService, DEFAULTS } from "safelight"
import { runCommand, temporaryFolder } from "./command-process.ts"

test("rows of another release are read, made anew beside the service, and found whole", async (t) => {
  const data = await temporaryFolder(t)
  const studio = { sandbox: true }
  const configuration = { ...DEFAULTS, port: 0, studio, data, logLevel: "silent" as const }
  const service = await createService({ configuration })
  t.after(() => service.stop())
  const model = "vendor-a/v4.1/flash/text-to-image"
  const parameters = { prompt: "[studio: at-once] fog", size: "square" }
  const submitted = await service.engine.submit({ account: "default", model, parameters })
  assert.ok(submitted.kind === "submitted")
  const { id } = submitted.task
  const finished = await service.engine.finished(id)

  const database = new DatabaseSync(join(data, "safelight.db"))
  t.after(() => database.close())
  const snapshot = JSON.stringify({ id, projection: PROJECTION + 1 })
  database.prepare("update tasks set snapshot = ?").run(snapshot)
  assert.deepEqual(await service.engine.findTask({ account: "default", id }), finished)
  const run = (...words: string[]) => runCommand([...words, "--data", data], { folder: data })

  const replayed = await run("audit", "replay")
  assert.match(replayed.stdout, /^1 rows are of another release's projection/)
  assert.equal(replayed.code, 0)
  const rebuilt = await run("rebuild")
  assert.deepEqual(
    [rebuilt.stdout, rebuilt.stderr, rebuilt.code],
    ["1 tasks, 1 rows written anew\n", "", 0],
  )
  assert.match((await run("audit", "replay")).stdout, /^1 tasks, /)
  assert.deepEqual(await service.engine.findTask({ account: "default", id }), finished)

  database.exec("update tasks set hash = 'ab'")
  const left = await run("rebuild", "--json")
  const reason = "its row is not of its newest event"
  const report = { tasks: 1, rebuilt: 0, left: [{ task: id, reason }], leftCount: 1 }
  assert.deepEqual([JSON.parse(left.stdout), left.code], [report, 1])
})
