/** `tasks events`: what was recorded of a task, and what a provider said when it refused it. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { runCommand, temporaryFolder } from "./command-process.ts"
import { PICTURE, recordTasks } from "./command-recorded-tasks.ts"

test("events come in order, a provider's words last, and no prompt", async (t) => {
  const folder = await temporaryFolder(t)
  const providerWords = "quota\u001b[2J of org-7 is used up"
  const outcome = { kind: "refused", code: "provider_rejected", providerWords } as const
  const [id = ""] = await recordTasks(`${folder}/data`, [{ model: PICTURE, outcome }])
  const { code, stdout, stderr } = await runCommand(["tasks", "events", id], { folder })
  assert.deepEqual([code, stderr], [0, ""])
  const lines = stdout.trimEnd().split("\n")
  const types = lines.slice(0, 3).map((line) => line.split("  ")[2])
  assert.deepEqual(types, ["submitted", "dispatched", "failed"])
  assert.equal(lines[3], "attempt 1, the provider's words: quota [2J of org-7 is used up")
  assert.doesNotMatch(stdout, /fog/)
  const json = await runCommand(["tasks", "events", id, "--json"], { folder })
  const { events, provider_words: words } = JSON.parse(json.stdout) as Record<string, unknown[]>
  assert.deepEqual([events?.length, words], [3, [{ attempt: 1, words: providerWords }]])
  await runCommand(["tasks", "erase", id], { folder })
  const erased = await runCommand(["tasks", "events", id], { folder })
  assert.doesNotMatch(erased.stdout, /quota/)
  const none = await runCommand(["tasks", "events", "x"], { folder })
  assert.deepEqual([none.code, none.stderr], [2, "safelight: there is no task with this id\n"])
})
