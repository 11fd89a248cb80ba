/** `export` beside another `export` to the same name: one of them is whole, the other ends and says why. */
import assert from "node:assert/strict"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { test } from "node:test"
import { setImmediate } from "node:timers/promises"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import {
  runCommand,
  startCommand,
  temporaryFolder,
  type RunningCommand,
} from "./command-process.ts"

/** As many as keep an export busy for a while. */
const TASKS = 3_000

async function fill(data: string): Promise<void> {
  const storage = await createSqliteStorage({ folder: data })
  const ids = Array.from({ length: TASKS }, (_, index) => `task-${index}`)
  await Promise.all(ids.map((id) => storage.append(submitSample({ id }).append)))
  await storage.close()
}

/** Stops the command once it writes to another file than `before`; resolves to that file's inode. */
async function stopAtWriting(command: RunningCommand, path: string, before = 0): Promise<number> {
  for (;;) {
    const status = await stat(path).catch(() => undefined)
    assert.equal(
      command.child.exitCode,
      null,
      `it ended before it was stopped: ${command.stderr()}`,
    )
    if (status !== undefined && status.ino !== before) {
      command.kill("SIGSTOP")
      return status.ino
    }
    await setImmediate()
  }
}

test("of two exports to one name the later one is whole", async (t) => {
  const folder = await temporaryFolder(t)
  await fill(join(folder, "data"))
  const partial = join(folder, "log.ndjson.partial")
  const words = ["export", "--to", "log.ndjson"]
  const one = startCommand(words, { folder })
  const inode = await stopAtWriting(one, partial)
  const other = startCommand(words, { folder })
  await stopAtWriting(other, partial, inode)
  one.kill("SIGCONT")
  const early = await one.ended
  assert.match(early.stderr, /^safelight: another export wrote to \S+\.partial meanwhile[^\n]*\n$/)
  assert.equal(early.code, 1)
  other.kill("SIGCONT")
  const late = await other.ended
  assert.deepEqual([late.code, late.stderr], [0, ""])
  const checked = await runCommand(["import", "log.ndjson", "--check"], { folder })
  assert.match(checked.stderr, new RegExp(`^safelight: ${TASKS} tasks are not finished`))
  assert.deepEqual((await readdir(folder)).toSorted(), ["data", "log.ndjson"])
})
