/** `audit task`: what was recorded of a task, whether it is whole, and what a provider said of it. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"
import { runCommand, temporaryFolder } from "./command-process.ts"
import { PICTURE, recordTasks } from "./recorded-tasks.ts"

test("events come in order, a provider's words last, and no prompt", async (t) => {
  const folder = await temporaryFolder(t)
  const providerWords = "quota\u001b[2J of org-7 is used up"
  const outcome = { kind: "refused", code: "provider_rejected", providerWords } as const
  const [id = ""] = await recordTasks(`${folder}/data`, [{ model: PICTURE, outcome }])
  const { code, stdout, stderr } = await runCommand(["audit", "task", id], { folder })
  assert.deepEqual([code, stderr], [0, ""])
  const lines = stdout.trimEnd().split("\n")
  const types = lines.slice(0, 3).map((line) => line.split("  ")[2])
  assert.deepEqual(types, ["submitted", "dispatched", "failed"])
  assert.match(
    lines[1] ?? "",
    /attempt 1: scripted is asked under key .* \(tier 1, 1 of 1 channels able\)$/,
  )
  assert.match(lines[2] ?? "", /provider_rejected; .* charged 0 .*; upstream it cost nothing$/)
  assert.equal(lines[3], "attempt 1, the provider's words: quota [2J of org-7 is used up")
  assert.equal(lines[4], "the chain of 3 events is whole")
  assert.doesNotMatch(stdout, /fog/)
  const json = await runCommand(["audit", "task", id, "--json"], { folder })
  const record = JSON.parse(json.stdout) as {
    readonly events: readonly { readonly attempt: number | null; readonly channel: string | null }[]
    readonly costs: unknown
    readonly provider_words: unknown
    readonly chain: unknown
  }
  const asked = record.events.map(({ attempt, channel }) => [attempt, channel])
  assert.deepEqual(asked, [
    [null, null],
    [1, "scripted"],
    [1, "scripted"],
  ])
  assert.deepEqual(record.provider_words, [{ attempt: 1, words: providerWords }])
  assert.deepEqual(record.costs, [
    { attempt: 1, channel: "scripted", cost_micros: 0, source: "none" },
  ])
  assert.deepEqual(record.chain, { is_whole: true, findings: [] })
  await runCommand(["tasks", "erase", id], { folder })
  const erased = await runCommand(["audit", "task", id], { folder })
  assert.doesNotMatch(erased.stdout, /quota/)
  const none = await runCommand(["audit", "task", "x"], { folder })
  assert.deepEqual([none.code, none.stderr], [2, "safelight: there is no task with this id\n"])
})

test("a chain that was tampered with ends with 1, and what differs is said", async (t) => {
  const folder = await temporaryFolder(t)
  const outcome = { kind: "refused", code: "provider_rejected" } as const
  const [id = ""] = await recordTasks(`${folder}/data`, [{ model: PICTURE, outcome }])
  const database = new DatabaseSync(join(folder, "data", "safelight.db"))
  database.exec("drop trigger events_refuse_update")
  database.exec(`update events set data = replace(data, '"chargeMicros":0', '"chargeMicros":1')`)
  database.close()
  const { code, stdout } = await runCommand(["audit", "task", id], { folder })
  assert.equal(code, 1)
  assert.match(stdout, /^task \S+, event 3: the hash is /m)
  assert.match(stdout, /^the chain is not whole$/m)
})
