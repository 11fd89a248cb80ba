/**
 * An api and a worker as processes of their own, on one database and one bucket: who answers, who
 * works, and what each tells of itself.
 */
import assert from "node:assert/strict"
import { readdir } from "node:fs/promises"
import { describe, test } from "node:test"
import { createClient } from "@safelight/client"
import { parseKey } from "../command/command-process.ts"
import { download, reach, read, readJson, submit, type Client } from "../client.ts"
import { createPostgresWorld } from "./postgres-world.ts"
import { parsePrometheusText, readSample } from "../metrics/prometheus-text.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

async function scrape({ url }: { readonly url: string }) {
  const response = await fetch(`${url}/metrics`)
  assert.equal(response.status, 200)
  return parsePrometheusText(await response.text())
}

describe("an api and a worker", { concurrency: 2 }, () => {
  test("share a task: one accepts it, the other carries it out, any reads it", async (t) => {
    const world = await createPostgresWorld(t)
    const places = ["--database", world.database, "--artifacts", world.bucket]
    const flags = { environment: world.credentials }
    // Both at once, on a database without a schema.
    const [api, worker] = await Promise.all([
      world.serve([...places, "--role", "api"], flags),
      world.serve([...places, "--role", "worker"], flags),
    ])
    const client = { url: api.url, key: parseKey(api.stdout()) }
    const id = await submit(client, "fog over a harbour")
    await reach(client, id, "succeeded")

    const bytes = await download(client, id)
    const path = `/v1/tasks/${id}/artifacts/image_1/content`
    const part = await read(client, path, { range: "bytes=5-14" })
    assert.equal(part.status, 206)
    assert.equal(part.headers.get("content-range"), `bytes 5-14/${bytes.byteLength}`)
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(5, 15))
    const past = await read(client, path, { range: `bytes=${bytes.byteLength}-` })
    assert.equal(past.status, 416)

    const usage = await readJson(client, `/v1/tasks/${id}/usage`)
    assert.deepEqual([usage["task_id"], usage["status"]], [id, "succeeded"], JSON.stringify(usage))
    // All of it is in the database and the bucket, but the first key, which nobody has read yet and
    // which stays out of version control.
    const files = await readdir(world.folder, { recursive: true })
    assert.deepEqual(
      files.filter((name) => !/^data(\/(first-key-[^/]+|\.gitignore))?$/.test(name)),
      [],
    )
    assert.ok(files.includes("data/.gitignore"))
    for (const { url } of [api, worker]) assert.equal((await fetch(`${url}/readyz`)).status, 200)
  })

  test("a stream goes on at another api, and misses nothing that a worker did", async (t) => {
    const world = await createPostgresWorld(t)
    const [first] = await Promise.all([
      world.serve(["--role", "api"], { isOwnProcess: true }),
      world.serve(["--role", "worker"]),
    ])
    const key = parseKey(first.stdout())
    const seen: { readonly task: string; readonly type: string; readonly id: string }[] = []
    let last = await readPosition(first.url, key)
    const countSucceeded = (): number =>
      seen.filter((each) => each.type.endsWith("succeeded")).length
    async function follow(url: string, isEnough: () => boolean): Promise<void> {
      for await (const message of createClient({ url, key }).stream({ after: last })) {
        assert.ok("data" in message, "nothing is lost")
        last = message.id
        seen.push({ task: message.data.task_id, type: message.type, id: message.id })
        if (isEnough()) break
      }
    }
    const client = { url: first.url, key }
    const ids = [
      await submit(client, "fog"),
      await submit(client, "rain"),
      await submit(client, "sun"),
    ]
    await follow(first.url, () => seen.length >= 4)
    first.kill("SIGKILL")
    const second = await world.serve(["--role", "api"])
    await follow(second.url, () => countSucceeded() === ids.length)
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length)
    for (const id of ids) {
      const { events } = await readJson({ url: second.url, key }, `/v1/tasks/${id}/events`)
      assert.deepEqual(
        seen.filter(({ task }) => task === id).map(({ type }) => type),
        (events as { readonly type: string }[]).map(({ type }) => `task.${type}`),
      )
    }
  })

  test("a worker answers who watches it and nobody else, and shows no key", async (t) => {
    const world = await createPostgresWorld(t)
    const worker = await world.serve(["--role", "worker", "--host", "0.0.0.0"])
    assert.doesNotMatch(worker.stdout(), /sl_live_/)
    assert.match(worker.stdout(), /^carries tasks out and serves no API/)
    const made = await world.succeed("keys", "create", "--account", "ada", "--json")
    const { key } = JSON.parse(made) as { readonly key: string }
    for (const path of ["/healthz", "/readyz"]) {
      assert.equal((await fetch(worker.url + path)).status, 200, path)
    }
    const paths = ["/v1/tasks", "/v1/usage", "/metrics", "/openapi.json", "/docs", "/"]
    for (const path of paths) {
      assert.equal((await read({ url: worker.url, key }, path)).status, 404, path)
    }
    // It makes no links that could name the wrong host.
    assert.doesNotMatch(worker.stderr(), /publicUrl/)
  })

  test("what waits for a worker shows in /metrics, and so do commits and outcomes", async (t) => {
    const world = await createPostgresWorld(t)
    const api = await world.serve(["--role", "api", "--metrics"])
    const client: Client = { url: api.url, key: parseKey(api.stdout()) }
    const refused = "[studio: at-once] [studio: fail provider_rejected] fog"
    const ids = await Promise.all(Array.from({ length: 20 }, () => submit(client, refused)))
    const before = await scrape(api)
    const queued = { model: MODEL, state: "waiting" }
    assert.equal(readSample(before, "safelight_queue_tasks", queued), 20)
    const oldest = "safelight_queue_oldest_waiting_seconds"
    assert.ok((readSample(before, oldest, { model: MODEL }) ?? -1) >= 0)
    const committed = { outcome: "committed" }
    assert.equal(readSample(before, "safelight_commit_changes_sum", committed), 20)
    const commits = readSample(before, "safelight_commit_changes_count", committed)
    assert.ok(commits !== undefined && commits < 20, `${commits} commits of twenty tasks`)
    assert.equal(readSample(before, "safelight_storage_up"), 1)

    const worker = await world.serve(["--role", "worker", "--metrics"])
    await Promise.all(ids.map((id) => reach(client, id, "failed")))
    const after = await scrape(worker)
    const outcome = { channel: "studio", outcome: "refused", code: "provider_rejected" }
    assert.equal(readSample(after, "safelight_channel_outcomes_total", outcome), 20)
    for (const state of ["waiting", "held"]) {
      assert.equal(readSample(after, "safelight_queue_tasks", { model: MODEL, state }), 0, state)
    }
  })
})

/** Where an account's stream begins now. */
async function readPosition(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const { body } = await fetch(`${url}/v1/stream`, { headers })
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    const [, id] = /^id: (\S+)\nevent: ready\n/m.exec(text) ?? []
    if (id !== undefined) return id
  }
  return assert.fail("the stream has no beginning")
}
