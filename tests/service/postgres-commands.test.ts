/**
 * The commands that work on data, on PostgreSQL beside a running service: it obeys them as it does on
 * a folder. What each of them prints is tested with the folder; this is about the two together.
 */
import assert from "node:assert/strict"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, test } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { advanceSample, dispatchSample, submitSample } from "@safelight/testkit"
import { createTestDatabase, execute } from "../support/test-database.ts"
import { parseKey } from "./command-process.ts"
import { download, post, reach, read, readJson, submit, untilAnswered } from "./postgres-client.ts"
import { createPostgresWorld, type PostgresWorld } from "./postgres-world.ts"

async function createKey(world: PostgresWorld, account: string) {
  const printed = await world.succeed("keys", "create", "--account", account, "--json")
  return JSON.parse(printed) as { readonly id: string; readonly key: string }
}

describe("beside a service on PostgreSQL", { concurrency: 2 }, () => {
  test("keys and accounts are made, bounded and revoked", async (t) => {
    const world = await createPostgresWorld(t)
    const { url } = await world.serve(["--role", "api"])
    const { id, key } = await createKey(world, "ada")
    await world.succeed("accounts", "set", "ada", "--unfinished-tasks", "1", "--weight", "3")
    const client = { url, key }
    const accepted = await submit(client, "fog")
    const second = await untilAnswered(() => post(client, "[studio: at-once] smoke"), 429)
    assert.match(await second.text(), /concurrency_limit_exceeded/)
    const shown = await world.succeed("accounts", "show", "ada", "--json")
    const { weight, totals } = JSON.parse(shown) as {
      readonly weight: number
      readonly totals: { readonly unfinished_tasks: number }
    }
    assert.deepEqual([weight, totals.unfinished_tasks], [3, 1])

    // Erased before a channel was asked, it fails as soon as somebody works, and makes room.
    await world.succeed("tasks", "erase", accepted)
    await world.serve(["--role", "worker"])
    await reach(client, accepted, "failed")
    await untilAnswered(() => post(client, "[studio: stall] rain"), 202)

    const rotated = await world.succeed("keys", "rotate", id, "--json")
    const successor = JSON.parse(rotated) as { readonly id: string; readonly key: string }
    const next = { url, key: successor.key }
    assert.equal((await read(next, "/v1/tasks")).status, 200)
    await untilAnswered(() => read(client, "/v1/tasks"), 401)
    await world.succeed("keys", "revoke", successor.id)
    await untilAnswered(() => read(next, "/v1/tasks"), 401)
  })

  test("private links are closed", async (t) => {
    const world = await createPostgresWorld(t)
    const service = await world.serve()
    const client = { url: service.url, key: parseKey(service.stdout()) }
    const task = await submit(client, "[studio: at-once] fog")
    await reach(client, task, "succeeded")
    const environment = { SAFELIGHT_API_KEY: client.key }
    const create = async (): Promise<string> => {
      const words = ["links", "create", task, "image_1", "--url", client.url]
      const { code, stdout, stderr } = await world.run(words, { environment })
      assert.equal(code, 0, stderr)
      return stdout.trim()
    }
    const [one, other] = await Promise.all([create(), create()])
    assert.equal((await fetch(one)).status, 200)
    await world.succeed("links", "revoke", "--task", task, "--key", "image_1")
    for (const link of [one, other]) await untilAnswered(() => fetch(link), 404)
    const last = await create()
    await world.succeed("links", "rotate")
    await world.succeed("links", "rotate")
    await untilAnswered(() => fetch(last), 404)
  })

  test("a doubt is settled by hand, and another task is left alone", async (t) => {
    const world = await createPostgresWorld(t)
    const storage = await createPostgresStorage({ url: world.database })
    const now = Date.now()
    const submitted = { endBy: now + 3_600_000 }
    const place = { dueAt: submitted.endBy, endBy: submitted.endBy, lease: null, startTag: null }
    const queue = { kind: "enqueue", ...place } as const
    for (const id of ["doubtful", "queued"]) {
      const { append, head } = submitSample({ id, submitted, now, queue })
      await storage.append(append)
      if (id !== "doubtful") continue
      const sent = { ...dispatchSample(), sendBefore: now + 60_000 }
      const doubt = { kind: "doubt", attempt: 1, code: "connection_lost" } as const
      await storage.append(advanceSample(head, [sent, doubt], { now }).append)
    }
    await storage.close()
    await world.serve(["--role", "worker"])
    assert.equal(await world.succeed("tasks", "resolve", "doubtful", "--fail"), "doubtful failed\n")
    const refusals = [
      ["doubtful", /this task is failed/],
      ["queued", /this task is queued/],
      ["other", /there is no task/],
    ] as const
    const ends = refusals.map(async ([id, words]) => {
      const { code, stderr } = await world.run(["tasks", "resolve", id, "--fail"])
      assert.match(stderr, words)
      assert.equal(code, 2)
    })
    await Promise.all(ends)
  })

  test("the log is audited, exported and taken in elsewhere; sealing is refused", async (t) => {
    const world = await createPostgresWorld(t)
    const service = await world.serve()
    const client = { url: service.url, key: parseKey(service.stdout()) }
    const ids = [
      await submit(client, "[studio: at-once] fog over a harbour"),
      await submit(client, "[studio: fail provider_rejected] smoke"),
    ]
    await reach(client, ids[0] ?? "", "succeeded")
    await reach(client, ids[1] ?? "", "failed")
    const audits = ["verify", "replay"].map((name) => world.succeed("audit", name))
    const ways = ["--move", "--unseal"].map((way) => ["export", way, "--to", "sealed.ndjson"])
    for (const { code, stderr } of await Promise.all(ways.map((words) => world.run(words)))) {
      assert.match(stderr, /^safelight: only a data folder can be sealed[^\n]*\n$/)
      assert.equal(code, 2)
    }
    await Promise.all(audits)
    assert.deepEqual(await execute(world.database, "select id from moves"), [])
    await assert.rejects(stat(join(world.folder, "sealed.ndjson")), { code: "ENOENT" })

    assert.match(await world.succeed("export", "--to", "log.ndjson"), /^2 tasks \(0 unfinished\)/m)
    const file = join(world.folder, "log.ndjson")
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.match(await readFile(file, "utf8"), /fog over a harbour/)
    await using other = await createTestDatabase()
    const elsewhere = { ...world.environment, SAFELIGHT_DATABASE_URL: other.url }
    const flags = { environment: elsewhere }
    const second = await world.serve([], flags)
    const imported = await world.run(["import", file, "--with-keys"], flags)
    assert.deepEqual([imported.code, imported.stderr], [0, ""])
    // The service that ran all the while serves it, from the bucket that both share.
    const there = { url: second.url, key: client.key }
    const paths = ids.flatMap((id) => [`/v1/tasks/${id}`, `/v1/tasks/${id}/usage`])
    for (const path of paths) {
      assert.deepEqual(await readJson(there, path), await readJson(client, path), path)
    }
    await download(there, ids[0] ?? "")
    const replayed = await world.run(["audit", "replay"], flags)
    assert.equal(replayed.code, 0, replayed.stdout)
    second.kill("SIGTERM")
    assert.equal((await second.ended).code, 0)
  })
})
