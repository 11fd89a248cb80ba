/** What the commands on the data change is recorded as changed by a command, before it is changed. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import type { OperatorChange } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { advanceSample, dispatchSample, submitSample } from "@safelight/testkit"
import { runCommand, temporaryFolder } from "./command-process.ts"
import { PICTURE, pictures, recordTasks } from "./recorded-tasks.ts"

interface World {
  readonly folder: string
  /** A task of the account `default` with an artifact. */
  readonly task: string
  /** The text that a command prints; fails unless it ends well. */
  run(...words: readonly string[]): Promise<string>
  /** Oldest first. */
  listChanges(): Promise<readonly OperatorChange[]>
}

async function createWorld(t: TestContext): Promise<World> {
  const folder = await temporaryFolder(t)
  const data = join(folder, "data")
  const [task = ""] = await recordTasks(data, [{ model: PICTURE, outcome: pictures(1) }])
  return {
    folder,
    task,
    async run(...words) {
      const { code, stderr, stdout } = await runCommand(words, { folder })
      assert.equal(code, 0, stderr)
      return stdout
    },
    async listChanges() {
      const storage = await createSqliteStorage({ folder: data, mode: "beside" })
      try {
        return (await storage.listOperatorChanges({ limit: 100 })).changes.toReversed()
      } finally {
        await storage.close()
      }
    },
  }
}

function toShown({ account, change, changedBy, details, target }: OperatorChange): unknown {
  return [changedBy, change, target, account, details]
}

test("accounts, keys, links, channels and tasks: each command leaves its record", async (t) => {
  const { listChanges, run, task } = await createWorld(t)
  await run("accounts", "set", "acme", "--budget-micros", "none")
  const settings = (await listChanges()).at(-1)?.details.settings
  assert.ok(settings && "budgetMicros" in settings && settings.budgetMicros === null)
  const known = (await listChanges()).length
  const made = JSON.parse(
    await run("keys", "create", "--account", "acme", "--scopes", "admin", "--json"),
  ) as { id: string }
  const next = JSON.parse(await run("keys", "rotate", made.id, "--json")) as { id: string }
  await run("keys", "revoke", next.id)
  await run("links", "revoke", "--account", "acme")
  await run("links", "revoke", "--task", task, "--key", "image_1")
  const link = JSON.parse(await run("links", "rotate", "--json")) as { id: string }
  await run("channels", "pause", "studio")
  await run("channels", "drain", "studio", "--timeout", "20s")
  await run("channels", "resume", "studio")
  await run("tasks", "erase", task)
  await run("accounts", "set", "acme", "--suspend", "--stop")
  const changes = (await listChanges()).slice(known)
  const suspendedAt = changes.at(-2)?.details.settings?.suspendedAt ?? 0
  assert.ok(suspendedAt > 0)
  const { expiresAt, replacedExpiresAt, ...rotated } = changes[1]?.details ?? {}
  assert.equal(expiresAt, 0)
  assert.ok((replacedExpiresAt ?? 0) > 0)
  assert.deepEqual(rotated, { successor: next.id })
  assert.deepEqual(changes.map(toShown), [
    ["command", "key-created", made.id, "acme", { scopes: ["admin"], expiresAt: 0 }],
    ["command", "key-rotated", made.id, "acme", changes[1]?.details],
    ["command", "key-revoked", next.id, "acme", {}],
    ["command", "links-revoked", "acme", "acme", {}],
    ["command", "links-revoked", task, "default", { artifact: "image_1" }],
    ["command", "link-key-rotated", link.id, null, {}],
    ["command", "channel-paused", "studio", null, {}],
    ["command", "channel-paused", "studio", null, {}],
    ["command", "channel-resumed", "studio", null, {}],
    ["command", "task-erased", task, "default", {}],
    ["command", "account-set", "acme", "acme", { settings: { suspendedAt } }],
    ["command", "tasks-stopped", "acme", "acme", {}],
  ])
})

test("a doubt that is settled by hand is recorded, and one that can't be is not", async (t) => {
  const { folder, listChanges, run, task } = await createWorld(t)
  const storage = await createSqliteStorage({ folder: join(folder, "data") })
  const now = Date.now()
  const endBy = now + 3_600_000
  const queue = { kind: "enqueue", dueAt: endBy, endBy, lease: null, startTag: null } as const
  const submitted = { model: PICTURE, endBy, account: "acme" }
  const { append, head } = submitSample({ id: "doubtful", submitted, now, queue })
  await storage.append(append)
  const sent = { ...dispatchSample(), sendBefore: now + 60_000 }
  const doubt = { kind: "doubt", attempt: 1, code: "connection_lost" } as const
  await storage.append(advanceSample(head, [sent, doubt], { now }).append)
  await storage.close()
  assert.equal((await runCommand(["tasks", "resolve", task, "--fail"], { folder })).code, 2)
  assert.deepEqual(await listChanges(), [])
  await run("tasks", "resolve", "doubtful", "--fail")
  assert.deepEqual((await listChanges()).map(toShown), [
    ["command", "task-resolved", "doubtful", "acme", { verdict: "fail" }],
  ])
})

test("a command that changes nothing records nothing", async (t) => {
  const { folder, listChanges, run } = await createWorld(t)
  const refused = async (...words: readonly string[]): Promise<void> => {
    assert.equal((await runCommand(words, { folder })).code, 2, words.join(" "))
  }
  await refused("keys", "revoke", "0123456789")
  await refused("keys", "rotate", "0123456789")
  await refused("links", "revoke", "--account", "nobody")
  await refused("channels", "pause", "nobody")
  await refused("tasks", "erase", "nothing")
  for (const words of [
    ["keys", "list"],
    ["accounts", "list"],
    ["channels", "list"],
    ["audit", "replay"],
    ["rebuild"],
  ]) {
    await run(...words)
  }
  assert.deepEqual(await listChanges(), [])
})
