/** `export` beside another `export` to the same name: one of them is whole, the other ends and says why. */
import assert from "node:assert/strict"
import files, { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { test } from "node:test"
import { setImmediate } from "node:timers/promises"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import {
  runCommand,
  startCommand,
  temporaryFolder,
  type CommandProcess,
} from "./command-process.ts"

const EXPORT_FILE = join(import.meta.dirname, "../../../packages/safelight/src/data/export-file.ts")

/** As many as keep an export busy for a while. */
const TASKS = 3_000

async function fill(data: string): Promise<void> {
  const storage = await createSqliteStorage({ folder: data })
  const ids = Array.from(
    { length: TASKS },
    (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  )
  await Promise.all(ids.map((id) => storage.append(submitSample({ id }).append)))
  await storage.close()
}

/** Stops the command once it writes to another file than `before`; resolves to that file's inode. */
async function stopAtWriting(command: CommandProcess, path: string, before = 0): Promise<number> {
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

test("a file that comes to the name while an export is written is not replaced", async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, "log.ndjson")
  // Both are ways to give a file its name; the other file is there right before.
  for (const name of ["rename", "link"] as const) {
    const original = files[name]
    t.mock.method(files, name, async (from: string, to: string) => {
      await writeFile(path, "somebody's")
      await original(from, to)
    })
  }
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const { writeExportFile } = (await import(EXPORT_FILE)) as {
    writeExportFile(file: { readonly path: string }, lines: AsyncIterable<string>): Promise<void>
  }
  async function* lines(): AsyncGenerator<string> {
    yield "an export\n"
  }
  await assert.rejects(
    writeExportFile({ path }, lines()),
    /log\.ndjson is there already; --to names/,
  )
  assert.equal(await readFile(path, "utf8"), "somebody's")
  assert.deepEqual(await readdir(folder), ["log.ndjson"])
})
