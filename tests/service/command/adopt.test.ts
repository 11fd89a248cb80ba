/**
 * A data folder that was copied while a task of it was unfinished, and `serve` on the copy as a
 * process: how it refuses, and what `--adopt` makes of it.
 */
import assert from "node:assert/strict"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { test } from "node:test"
import {
  parseKey,
  runCommand,
  startService,
  startServiceProcess,
  temporaryFolder,
} from "./command-process.ts"
import { reach, submit } from "../client.ts"

/** A rendering that is under way when its service is killed. */
const LONG = "[studio: delay 3s] fog over a harbour"

test("a copied folder runs no task until it is adopted; the original goes on", async (t) => {
  const folder = await temporaryFolder(t)
  const [original, copy] = [join(folder, "original"), join(folder, "copy")]
  const first = await startServiceProcess(folder, ["--sandbox", "--data", original])
  const key = parseKey(first.stdout())
  const id = await submit({ url: first.url, key }, LONG)
  first.kill("SIGKILL")
  await first.ended
  await cp(original, copy, { recursive: true })

  const refused = await runCommand(["serve", "--port", "0", "--data", copy], { folder })
  assert.deepEqual([refused.code, refused.stdout], [2, ""], refused.stderr)
  assert.match(
    refused.stderr,
    /^safelight: this database is a copy or a restored backup.* `serve --adopt` .*\n$(?!\n)/m,
  )

  const restarted = await startService(folder, ["--sandbox", "--data", original])
  await reach({ url: restarted.url, key }, id, "succeeded")
  const adopted = await startService(folder, ["--sandbox", "--data", copy, "--adopt"])
  assert.match(adopted.stderr(), /^\{"level":40,.*"refusals":\["database-copied"\]/m)
  await reach({ url: adopted.url, key }, id, "succeeded")
})
