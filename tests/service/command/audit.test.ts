/** The `audit` commands: their three exit codes, on a log that a service really wrote. */
import assert from "node:assert/strict"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test, type TestContext } from "node:test"
import { createFirstKey } from "@safelight/access"
import { createService, DEFAULTS } from "safelight"
import { runCommand, temporaryFolder } from "./command-process.ts"

/** A data folder with one task that has succeeded. */
async function record(t: TestContext): Promise<string> {
  const data = await temporaryFolder(t)
  const studio = { sandbox: true }
  const configuration = { ...DEFAULTS, port: 0, studio, data, logLevel: "silent" as const }
  const { engine, storage, stop } = await createService({ configuration })
  try {
    await createFirstKey(storage, Date.now())
    const model = "vendor-a/v4.1/flash/text-to-image"
    const parameters = { prompt: "[studio: at-once] fog", size: "square" }
    const result = await engine.submit({ account: "default", model, parameters })
    assert.ok(result.kind === "submitted")
    await engine.finished(result.task.id)
  } finally {
    await stop()
  }
  return data
}

function alter(data: string, sql: string): void {
  const database = new DatabaseSync(join(data, "safelight.db"))
  database.exec(sql)
  database.close()
}

for (const name of ["verify", "replay"] as const) {
  test(`${name} of what a service wrote ends with 0`, async (t) => {
    const data = await record(t)
    const { code, stdout, stderr } = await runCommand(["audit", name, "--data", data], {
      folder: data,
    })
    assert.match(stdout, /^1 tasks, \d+ events, charged 10000 micro-units\n/)
    assert.equal(stderr, "")
    assert.equal(code, 0)
  })
}

test("an erased prompt is nowhere in the database, and the audit finds the log whole", async (t) => {
  const data = await record(t)
  const database = new DatabaseSync(join(data, "safelight.db"), { readOnly: true })
  const [row] = database.prepare("select task from inputs").all() as { task: string }[]
  database.close()
  const id = row?.task ?? ""
  const erased = await runCommand(["tasks", "erase", id, "--data", data], { folder: data })
  assert.deepEqual([erased.code, erased.stdout], [0, `erased ${id}\n`])
  const again = await runCommand(["tasks", "erase", id, "--data", data], { folder: data })
  assert.equal(again.code, 2)
  for (const file of (await readdir(data)).filter((name) => name.startsWith("safelight.db"))) {
    assert.ok(
      !(await readFile(join(data, file))).includes("at-once] fog"),
      `${file} still holds it`,
    )
  }
  for (const name of ["verify", "replay"]) {
    assert.equal((await runCommand(["audit", name, "--data", data], { folder: data })).code, 0)
  }
})

test("replay of a row that was changed behind the log ends with 1 and names it", async (t) => {
  const data = await record(t)
  alter(data, "update tasks set finished_at = finished_at + 1")
  const words = ["audit", "replay", "--data", data, "--json"]
  const { code, stdout } = await runCommand(words, { folder: data })
  const report = JSON.parse(stdout) as { outcome: string; findings: { kind: string }[] }
  assert.equal(report.outcome, "differs")
  assert.equal(report.findings[0]?.kind, "row-differs")
  assert.equal(code, 1)
})

test("verify of an event that was changed ends with 1", async (t) => {
  const data = await record(t)
  alter(
    data,
    `drop trigger events_refuse_update;
     update events set data = replace(data, '"', ' "') where version = 1`,
  )
  const { code, stdout } = await runCommand(["audit", "verify", "--data", data], { folder: data })
  assert.match(stdout, /^task \S+, event 1: /)
  assert.match(stdout, /^it differs$/m)
  assert.equal(code, 1)
})

test("what can't be judged ends with 2", async (t) => {
  const folder = await temporaryFolder(t)
  const none = await runCommand(["audit", "verify", "--data", "none"], { folder })
  assert.match(none.stderr, /^safelight: there is no Safelight database in [^\n]+\n$/)
  assert.equal(none.code, 2)
  const flag = await runCommand(["audit", "verify", "--dta", "x"], { folder })
  assert.equal(flag.code, 2)
})
