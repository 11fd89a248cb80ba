/** `tasks resolve`: an operator settles a doubt, beside a service that runs on the same folder. */
import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import type { Task } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { advanceSample, dispatchSample, submitSample } from "@safelight/testkit"
import { runCommand, startService, temporaryFolder } from "./command-process.ts"

/** A data folder with a task in doubt and one that waits. */
async function createDoubt(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const storage = await createSqliteStorage({ folder: `${folder}/data` })
  const now = Date.now()
  // As the service that runs beside it knows them.
  const known = { model: "vendor-a/v4.1/flash/text-to-image", priceVersion: "default-1" }
  const submitted = { ...known, endBy: now + 3_600_000 }
  const place = { dueAt: submitted.endBy, endBy: submitted.endBy, lease: null, startTag: null }
  const queue = { kind: "enqueue", ...place } as const
  const doubt = { kind: "doubt", attempt: 1, code: "connection_lost" } as const
  for (const id of ["doubtful", "queued"]) {
    const { append, head } = submitSample({ id, submitted, now, queue })
    await storage.append(append)
    if (id !== "doubtful") continue
    const sent = { ...dispatchSample(), sendBefore: now + 60_000 }
    await storage.append(advanceSample(head, [sent, doubt], { now }).append)
  }
  await storage.close()
  return folder
}

function resolve(folder: string, ...words: readonly string[]) {
  return runCommand(["tasks", "resolve", ...words], { folder })
}

async function readTask(folder: string, id: string): Promise<Task | undefined> {
  const storage = await createSqliteStorage({ folder: `${folder}/data`, mode: "beside" })
  try {
    return (await storage.readTask(id))?.task
  } finally {
    await storage.close()
  }
}

test("a doubt that is failed by hand is not charged, and is settled once", async (t) => {
  const folder = await createDoubt(t)
  await startService(folder)
  const { code, stdout, stderr } = await resolve(folder, "doubtful", "--fail", "--json")
  assert.deepEqual([code, stderr], [0, ""])
  assert.deepEqual(JSON.parse(stdout), { id: "doubtful", status: "failed" })
  const task = await readTask(folder, "doubtful")
  assert.deepEqual([task?.state, task?.chargeMicros], ["failed", 0])
  assert.equal(task?.error?.code, "upstream_outcome_unknown")
  const again = await resolve(folder, "doubtful", "--fail")
  assert.equal(
    again.stderr,
    "safelight: this task is failed: only one in doubt (doubtful) can be settled\n",
  )
  assert.equal(again.code, 2)
})

const operations: readonly (readonly [string, unknown])[] = [
  ["op-7", "op-7"],
  ["https://provider.example/operations/7,8", "https://provider.example/operations/7,8"],
  ['{"id":"op-7","region":"eu"}', { id: "op-7", region: "eu" }],
  ['"op 7"', "op 7"],
  ["7", 7],
]
for (const [text, operation] of operations) {
  test(`the operation ${text} is adopted, and the task goes on`, async (t) => {
    const folder = await createDoubt(t)
    const { code, stdout } = await resolve(folder, "doubtful", "--adopt", text)
    assert.deepEqual([code, stdout], [0, "doubtful goes on\n"])
    const task = await readTask(folder, "doubtful")
    assert.deepEqual([task?.state, task?.operation], ["running", operation])
  })
}

const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["an unknown task", ["other", "--fail"], /there is no task with this id/],
  ["a task that waits", ["queued", "--fail"], /this task is queued: only one in doubt/],
  ["no way out", ["doubtful"], /expected --adopt with the channel's operation, or --fail/],
  ["both ways at once", ["doubtful", "--fail", "--adopt", "x"], /cannot be used with/],
  [
    "broken JSON",
    ["doubtful", "--adopt", '{"id":'],
    /--adopt: expected JSON but null, or a plain text/,
  ],
  ["no operation", ["doubtful", "--adopt", "null"], /--adopt: expected JSON but null/],
  [
    "an empty text",
    ["doubtful", "--adopt", ""],
    /--adopt: expected JSON but null, or a plain text/,
  ],
]
test("what can't be settled is one line, ends with 2 and changes nothing", async (t) => {
  const folder = await createDoubt(t)
  for (const [name, words, expected] of mistakes) {
    const { code, stderr } = await resolve(folder, ...words)
    assert.match(stderr, /^safelight: [^\n]+\n$/, name)
    assert.match(stderr, expected, name)
    assert.equal(code, 2, name)
  }
  assert.equal((await readTask(folder, "doubtful"))?.state, "doubtful")
})
