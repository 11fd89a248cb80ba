/** `audit artifacts`: the bytes beside the log, as they are after a disk or a person had their way. */
import assert from "node:assert/strict"
import { mkdir, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { test } from "node:test"
import type { ArtifactAuditReport } from "@safelight/audit"
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
  assert.deepEqual([sound.code, sound.stderr], [0, ""])
  assert.match(
    sound.stdout,
    /^4 of 4 artifacts that have not expired \(100%\), ([\d.]+ (?:Ki)?B) of \1 \(100%\), 4 files\nevery artifact is what the log says\n$/,
  )

  const storage = await createSqliteStorage({ folder: data, mode: "beside" })
  const locators = ((await storage.readTask(id))?.task.artifacts ?? []).map(({ locator }) =>
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
  const lines = stdout.split("\n").toSorted()
  // Neither the one that is gone is read nor the one that is cut, and all pictures have one size.
  assert.match(
    lines[1] ?? "",
    /^4 of 4 artifacts that have not expired \(100%\), .* \(50.0%\), 5 files$/,
  )
  assert.deepEqual(lines.toSpliced(1, 1), [
    "",
    `${lost} is of task 00000000-0000-7000-8000-000000000000, which the log does not know`,
    `image_1 of task ${id} is not there`,
    `image_2 of task ${id} is not what the log says`,
    `image_3 of task ${id} is not what the log says`,
    "it differs",
  ])
  const report = JSON.parse((await audit("--json")).stdout) as Record<string, unknown>
  assert.deepEqual([report["outcome"], report["findingCount"]], ["differs", 4])
})

test("a sample says its seed, which reads the same again, at the rate that is asked for", async (t) => {
  const folder = await temporaryFolder(t)
  await recordTasks(
    join(folder, "data"),
    Array.from({ length: 8 }, () => edit(4)),
  )
  const audit = async (...more: readonly string[]) => {
    const words = ["audit", "artifacts", "--json", ...more]
    const { code, stdout } = await runCommand(words, { folder })
    assert.equal(code, 0)
    return JSON.parse(stdout) as ArtifactAuditReport
  }
  const one = await audit("--sample", "50%")
  assert.ok(one.sample !== null)
  assert.deepEqual([one.sample.share, one.named.artifacts, one.files], [0.5, 32, 32])
  // One seed in a million chooses fewer than 3 of 32, or more than 29.
  assert.ok(one.artifacts >= 3 && one.artifacts <= 29, `${one.artifacts} of 32`)
  const { seed } = one.sample
  const again = await audit("--sample", "0.5", "--seed", seed, "--rate", "20MB")
  assert.deepEqual({ ...again, bytesPerSecond: null }, one)
  const other = await audit("--sample", "50%")
  assert.notEqual(other.sample?.seed, seed)

  const text = await runCommand(["audit", "artifacts", "--sample", "50%", "--seed", seed], {
    folder,
  })
  const [counts = "", ...rest] = text.stdout.split("\n")
  assert.ok(counts.startsWith(`${one.artifacts} of 32 artifacts that have not expired (`), counts)
  assert.deepEqual(rest, [
    `chosen by --sample 0.5 --seed ${seed}`,
    "every artifact that was read is what the log says",
    "",
  ])

  assert.deepEqual([one.bytesPerSecond, again.bytesPerSecond], [null, 20e6])
  const started = performance.now()
  const slow = await audit("--rate", `${Math.ceil(one.named.bytes / 2)}B`)
  assert.equal(slow.bytes, slow.named.bytes)
  // What is left after the first second's bytes has to wait for it.
  assert.ok(performance.now() - started >= 900, "it was faster than the rate")
})

test("shares and rates may be typed in several ways", async (t) => {
  const folder = await temporaryFolder(t)
  await recordTasks(join(folder, "data"), [edit(1)])
  const run = async (...words: readonly string[]) => {
    const { stdout } = await runCommand(["audit", "artifacts", "--json", ...words], { folder })
    return JSON.parse(stdout) as ArtifactAuditReport
  }
  const [shares, rates] = [new Map<string, unknown>(), new Map<string, unknown>()]
  for (const text of ["1%", "0.01", ".5", "100%", "2.5%"]) {
    shares.set(text, (await run("--sample", text)).sample?.share)
  }
  for (const text of ["9000B", "1.5GB", "512KiB", "2MiB", "1GiB", "70kB", "70KB"]) {
    rates.set(text, (await run("--rate", text)).bytesPerSecond)
  }
  assert.deepEqual([...shares.values()], [0.01, 0.01, 0.5, 1, 0.025])
  const bytes = [9_000, 1.5e9, 524_288, 2_097_152, 1_073_741_824, 70_000, 70_000]
  assert.deepEqual([...rates.values()], bytes)
})

test("a share, a rate and a seed that are none are refused by name", async (t) => {
  const folder = await temporaryFolder(t)
  const refusals: [readonly string[], RegExp][] = [
    ...["0", "1", "0%", "101%", "-1%", "0.0", "1.5", "half", "%", ""].map(
      (text): [string[], RegExp] => [
        ["--sample", text],
        /--sample.*expected a share as in 1% or 0\.01/,
      ],
    ),
    ...["0MB", "20", "MB", "20mb", "20 MB", "-1MB", "20TB", "0.1B", ""].map(
      (text): [string[], RegExp] => [
        ["--rate", text],
        /--rate.*expected bytes a second as in 20MB/,
      ],
    ),
    [["--seed", "7f"], /--seed chooses the artifacts of --sample, which is not there/],
  ]
  for (const [words, expected] of refusals) {
    const { code, stderr } = await runCommand(["audit", "artifacts", ...words], { folder })
    assert.match(stderr, expected, words.join(" "))
    assert.equal(code, 2, words.join(" "))
  }
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
