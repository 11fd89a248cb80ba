/**
 * `drill` on folders: a backup that was taken while its service ran, with the original and without, damaged in each of the
 * ways that a drill is for, and what it can't judge. It leaves every file as it is.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"
import type { DrillReport } from "@safelight/audit"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { advanceSample, submitSample } from "@safelight/testkit"
import { reach, submit, type Client } from "../client.ts"
import { parseKey, runCommand, startService, temporaryFolder } from "./command-process.ts"
import { edit, PICTURE, recordTasks } from "./recorded-tasks.ts"

/** A drill that finds what lacks; other outcomes are tested by their words. */
interface Printed {
  readonly outcome: string
  readonly checkpoint: unknown
  readonly copy: DrillReport
  readonly artifacts: Readonly<Record<string, unknown>>
}

const run = async (folder: string, ...words: readonly string[]) =>
  runCommand(["drill", ...words], { folder })

/** As the file's page says, while the service runs. */
function backUp(data: string, copy: string): void {
  const database = new DatabaseSync(join(data, "safelight.db"))
  database.prepare("vacuum into ?").run(join(copy, "safelight.db"))
  database.close()
}

/** Of each file below a folder; not of the indexes of SQLite's logs, which every reader writes. */
async function digestAll(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith("-shm"))
  const pairs = files.map(async ({ name, parentPath }) => {
    const path = join(parentPath, name)
    return [
      path,
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    ] as const
  })
  const found = await Promise.all(pairs)
  return new Map(found.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

async function finish(client: Client, prompt: string): Promise<string> {
  const id = await submit(client, prompt)
  await reach(client, id, "succeeded")
  return id
}

test("a backup of a service that runs: what came after it is lost, found again or forgotten", async (t) => {
  const folder = await temporaryFolder(t)
  const [original, copy] = [join(folder, "original"), join(folder, "copy")]
  await mkdir(copy)
  const service = await startService(folder, ["--sandbox", "--data", original])
  const client = { url: service.url, key: parseKey(service.stdout()) }
  await finish(client, "fog")
  const running = await submit(client, "[studio: delay 2s] smoke")
  await reach(client, running, "running")
  backUp(original, copy)
  await reach(client, running, "succeeded")
  await finish(client, "rain")

  const words = ["--restored", copy, "--artifacts", join(original, "artifacts")]
  const before = await digestAll(copy)
  const { code, stderr, stdout } = await run(folder, ...words, "--data", original, "--json")
  assert.deepEqual([code, stderr], [1, ""])
  assert.deepEqual(await digestAll(copy), before)
  const { artifacts, copy: report, outcome } = JSON.parse(stdout) as Printed
  assert.equal(outcome, "differs")
  const { loss } = report
  assert.ok(loss !== null)
  assert.deepEqual([report.tasks, loss.tasks, loss.lostTasks, loss.earlierTasks], [2, 3, 1, 1])
  assert.deepEqual([loss.isPrefix, report.unfinishedTasks, loss.reopened.tasks], [true, 1, 1])
  assert.ok(loss.lostMs > 0 && loss.lostMs < 60_000, `${loss.lostMs} ms`)
  assert.equal(loss.missingEvents, loss.events - report.events)
  assert.deepEqual(Object.keys(loss.forgottenMicros.byAccount), ["default"])
  const { forgotten, foundAgain } = loss.purchases
  assert.deepEqual([forgotten.purchases, foundAgain.purchases], [1, 1])
  // The picture of the task that is lost; that of the one that runs is of a task that the copy knows.
  assert.deepEqual([artifacts["unknownFiles"], artifacts["lostFiles"]], [1, 1])
  assert.deepEqual([artifacts["artifacts"], artifacts["files"]], [1, 3])

  const text = await run(folder, ...words, "--data", original)
  assert.equal(text.code, 1)
  const lines = text.stdout.split("\n")
  assert.ok(lines.length <= 25, text.stdout)
  for (const pattern of [
    /^restored +sqlite \S+, schema \d+, this release's$/m,
    /^reaches to +\d{4}-\S+Z$/m,
    /^chains +whole: 2 tasks, \d+ events$/m,
    /^tasks +1 (dispatching|running), 1 succeeded\.available$/m,
    /^ +1 (followed by the channel's operation|in doubt, sent again under a key .*)$/m,
    /^ +the copy is an earlier state of it$/m,
    /^lost +\d+ events of [\d.]+ s$/m,
    /^ +1 task that it has never heard of, 0 unfinished$/m,
    /^charges +\d+ micro-units \([\d.]+\) of 1 account are forgotten$/m,
    /^forgotten +1 purchase, USD /m,
    /^found again +1 purchase, USD /m,
    /^artifacts +1 of 1 \(100%\), .* were read: all as the log says$/m,
    /^files +3, of them 1 of no task of the copy, 1 of tasks that the original knows$/m,
    /^outcome +something is lost or damaged$/m,
  ]) {
    assert.match(text.stdout, pattern)
  }

  // Without the original the file alone tells that a task is lost.
  const alone = await run(folder, ...words, "--json")
  const told = JSON.parse(alone.stdout) as Printed
  assert.deepEqual([alone.code, told.copy.outcome, told.copy.loss], [1, "whole", null])
  assert.deepEqual([told.artifacts["unknownFiles"], told.artifacts["lostFiles"]], [1, null])
})

test("a copy of everything is whole, until an event or an artifact of it is damaged", async (t) => {
  const folder = await temporaryFolder(t)
  const [original, copy] = [join(folder, "original"), join(folder, "copy")]
  const [id = ""] = await recordTasks(original, [edit(2), { model: PICTURE }])
  const storage = await createSqliteStorage({ folder: original })
  await storage.keepCheckpoint({ size: 4, at: Date.UTC(2026, 10, 1), note: "signed" })
  await storage.close()
  await cp(original, copy, { recursive: true })
  const words = ["--restored", copy, "--data", original]
  const sound = await run(folder, ...words)
  assert.deepEqual([sound.code, sound.stderr], [0, ""], sound.stdout)
  assert.match(sound.stdout, /^outcome +the copy is whole, and its artifacts are there\n$/m)
  assert.match(
    sound.stdout,
    /^unfinished +1, which go on once the copy is served:\n +1 asked for: /m,
  )
  assert.match(sound.stdout, /^signed +4 events, 2026-11-01T00:00:00\.000Z$/m)
  const sampled = await run(folder, ...words, "--sample", "50%", "--seed", "7f")
  assert.match(sampled.stdout, /chosen by --sample 0\.5 --seed 7f/)

  const [shard = ""] = (await readdir(join(copy, "artifacts"))).filter(
    (name) => name !== ".incoming",
  )
  await rm(join(copy, "artifacts", shard), { recursive: true })
  const gone = await run(folder, ...words)
  assert.equal(gone.code, 1)
  assert.match(gone.stdout, /^artifacts .*: 2 missing or not as the log says$/m)
  assert.match(gone.stdout, new RegExp(`image_1 of task ${id} is not there`))

  const database = new DatabaseSync(join(copy, "safelight.db"))
  database.exec("drop trigger events_refuse_update")
  database.exec("update events set at = at + 1 where version = 2")
  database.exec("update compatibility set schema_version = schema_version + 1")
  database.close()
  const forged = await run(folder, ...words)
  assert.equal(forged.code, 1)
  assert.match(forged.stdout, /^restored .*, schema \d+, a newer release's$/m)
  assert.match(forged.stdout, /^chains +it differs\n +.*hash/m)
})

test("what a repeat means is known without the keys of the channels", async (t) => {
  const folder = await temporaryFolder(t)
  const data = join(folder, "copy")
  await mkdir(join(data, "artifacts", ".incoming"), { recursive: true })
  const storage = await createSqliteStorage({ folder: data })
  for (const channel of ["asked", "plain", "strange"]) {
    const { append, head } = submitSample({
      id: channel,
      submitted: { endBy: Date.now() + 86_400_000 },
    })
    await storage.append(append)
    const names = { because: "its turn", channel, lease: "lease-1", upstreamKey: `${channel}.1` }
    const asked = { kind: "dispatch", ...names, sendBefore: 2_000 } as const
    const doubt = { kind: "doubt", attempt: 1, code: "connection_lost" } as const
    await storage.append(advanceSample(head, [asked, doubt]).append)
  }
  await storage.close()
  const channels = [
    { type: "kling", name: "asked" },
    { type: "fal", name: "plain" },
  ]
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ channels }))
  const { stdout } = await run(folder, "--restored", data, "--json")
  const { copy } = JSON.parse(stdout) as Printed
  const steps = Object.entries(copy.nextSteps).filter(([, tasks]) => tasks > 0)
  assert.deepEqual(Object.fromEntries(steps), { lookedUp: 1, givenUp: 1, unclear: 1 })
})

test("bad input is refused by the option's name, and nothing is made", async (t) => {
  const folder = await temporaryFolder(t)
  const data = join(folder, "data")
  await recordTasks(data, [edit(1)])
  await cp(data, join(folder, "older"), { recursive: true })
  const older = new DatabaseSync(join(folder, "older", "safelight.db"))
  older.exec("update compatibility set schema_version = 3, oldest_code_version = 3")
  older.close()
  await mkdir(join(folder, "bare"))
  await cp(join(data, "safelight.db"), join(folder, "bare", "safelight.db"))
  const before = await digestAll(folder)
  const refusals: [readonly string[], RegExp][] = [
    [[], /required option '--restored <place>'/],
    [["--restored", "nowhere"], /no Safelight database in .*nowhere; --restored names the folder/],
    [["--restored", "mysql://host/db"], /--restored: expected a URL such as postgres:/],
    [["--restored", "data", "--database", "db"], /--database: expected a URL such as postgres:/],
    [["--restored", "data", "--data", "data"], /--restored and --data name the same/],
    [["--restored", "data", "--data", "x", "--database", "y"], /either --data or --database/],
    [["--restored", "data", "--data", "nowhere"], /nowhere; --data names the folder/],
    [["--restored", "data", "--artifacts", "bare"], /bare is no folder of artifacts/],
    [["--restored", "bare"], /bare.artifacts is no folder of artifacts/],
    [["--restored", "older"], /--restored: the database is an older release's, with schema 3/],
    [["--restored", "data", "--sample", "2"], /--sample.*expected a share/],
  ]
  for (const [words, expected] of refusals) {
    const { code, stderr, stdout } = await run(folder, ...words)
    assert.match(stderr, expected, words.join(" "))
    assert.deepEqual([code, stdout], [2, ""], words.join(" "))
  }
  assert.deepEqual(await digestAll(folder), before)
})
