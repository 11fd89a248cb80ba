/** `audit artifacts`: the bytes beside the log, as they are after a disk or a person had their way. */
import assert from "node:assert/strict"
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { test } from "node:test"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { runCommand, temporaryFolder } from "./command-process.ts"
import { edit, PICTURE, recordTasks } from "./recorded-tasks.ts"

test("it is whole, then names each file that is gone, altered, cut or of no task", async (t) => {
  const folder = await temporaryFolder(t)
  const data = join(folder, "data")
  const [id = ""] = await recordTasks(data, [edit(4)])
  const audit = (...more: readonly string[]) =>
    runCommand(["audit", "artifacts", ...more], { folder })
  const sound = await audit()
  const words = "4 artifacts that have not expired, 4 files\nevery artifact is what the log says\n"
  assert.deepEqual([sound.code, sound.stdout, sound.stderr], [0, words, ""])

  const storage = await createSqliteStorage({ folder: data, mode: "beside" })
  const locators = (await storage.readArtifacts(id)).map(({ locator }) =>
    join(data, "artifacts", locator),
  )
  await storage.close()
  const [gone = "", altered = "", cut = "", left = ""] = locators
  await rm(gone)
  const bytes = await readFile(altered)
  bytes[7] = (bytes[7] ?? 0) ^ 1
  await writeFile(altered, bytes)
  await truncate(cut, 10)
  // Of a task that the log lost, and what an attempt left of one that it knows.
  const lost =
    "a7/00000000-0000-7000-8000-000000000000/image_1/00000000-0000-4000-8000-000000000000"
  await mkdir(dirname(join(data, "artifacts", lost)), { recursive: true })
  await writeFile(join(data, "artifacts", lost), "bytes")
  await writeFile(join(dirname(left), "00000000-0000-4000-8000-000000000000"), "bytes")

  const { code, stdout } = await audit()
  assert.equal(code, 1)
  assert.deepEqual(stdout.split("\n").toSorted(), [
    "",
    "4 artifacts that have not expired, 5 files",
    `${lost} is of task 00000000-0000-7000-8000-000000000000, which the log does not know`,
    `image_1 of task ${id} is not there`,
    `image_2 of task ${id} is not what the log says`,
    `image_3 of task ${id} is not what the log says`,
    "it differs",
  ])
  const report = JSON.parse((await audit("--json")).stdout) as Record<string, unknown>
  assert.deepEqual([report["outcome"], report["findingCount"]], ["differs", 4])
})

test("what can't be asked can't be told", async (t) => {
  const folder = await temporaryFolder(t)
  const none = await runCommand(["audit", "artifacts"], { folder })
  assert.match(none.stderr, /there is no Safelight database/)
  await recordTasks(join(folder, "data"), [{ model: PICTURE }])
  const bucket = ["--artifacts", "s3://bucket?endpoint=http://127.0.0.1:1&region=x"]
  const environment = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }
  const away = await runCommand(["audit", "artifacts", ...bucket], { folder, environment })
  assert.match(away.stderr, /^safelight: [^\n]+\n$/)
  assert.deepEqual([none.code, away.code], [2, 2])
})
