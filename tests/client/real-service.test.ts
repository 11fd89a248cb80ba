/**
 * The client against the service itself, put together in this process: HTTP on a socket, the engine on
 * SQLite, a channel that answers at once. A proxy between them loses and spoils answers.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout } from "node:timers/promises"
import { createClient, DEFAULTS, type Client, type ClientClock } from "@safelight/client"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import { startLyingProxy, type LyingProxy, type Spoil } from "../support/lying-proxy.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { createTestClock, cut } from "./scripted-client.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"
const PARAMETERS = { prompt: "first light", size: "square" } as const
/** What the channel makes. */
const BYTES = Buffer.alloc(1_024, 7)
/** The service asks for two seconds between looks, and this one is ready sooner. */
const QUICK: ClientClock = {
  now: Date.now,
  wait: (ms, signal) => setTimeout(ms === DEFAULTS.silenceMs ? ms : 5, undefined, { signal }),
}

describe("the client and the service", () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let client: Client

  before(async () => {
    service = resources.use(await createInProcessService())
    service.engine.start()
    const { keys, url } = service
    client = createClient({ url, key: keys.whole, clock: QUICK })
  })

  after(() => resources.disposeAsync())

  it("make a file of a prompt in three lines", async () => {
    await using folder = await createTemporaryFolder()
    const path = join(folder.path, "first-light.png")
    const seen: number[] = []
    const onProgress = ({ progress }: { progress: number }): unknown => seen.push(progress)
    const task = await client.run(MODEL, PARAMETERS, {
      onProgress: (each) => void onProgress(each),
    })
    await task.artifact("image_1").saveTo(path)
    assert.deepEqual(await readFile(path), BYTES)
    assert.equal(seen.at(-1), 100)
  })

  it("tell what was made, what happened and what it cost", async () => {
    const { task_id: id, artifacts, status } = await client.run(MODEL, PARAMETERS)
    assert.equal(status, "succeeded")
    const [listed] = await artifacts()
    assert.deepEqual(
      [listed?.key, listed?.type, listed?.mime_type],
      ["image_1", "image", "image/png"],
    )
    assert.deepEqual(await client.artifacts(id), [listed])
    const events = await client.events(id)
    assert.equal(events[0]?.type, "submitted")
    assert.equal(events.at(-1)?.type, "succeeded")
    const usage = await client.taskUsage(id)
    assert.equal(usage.usage?.images, 1)
    const now = Math.floor(Date.now() / 1_000)
    const report = await client.usage({ from: now - 3_600, to: now + 3_600 })
    assert.ok(report.tasks > 0)
    assert.equal((await client.get(id)).finished_at, usage.finished_at)
  })

  it("cancel what no provider has, and tell the same again", async () => {
    await using waiting = await createInProcessService()
    const { keys, url } = waiting
    const asked = createClient({ url, key: keys.whole, clock: QUICK })
    const task = await asked.submit(MODEL, PARAMETERS)
    const [first, second] = [await asked.cancel(task), await asked.cancel(task)]
    for (const cancellation of [first, second]) {
      assert.equal(cancellation.outcome, "cancelled")
      assert.equal(cancellation.charge_micros, 0)
      assert.equal(cancellation.task.error?.code, "task_cancelled")
    }
    await assert.rejects(asked.run(MODEL, PARAMETERS, { signal: AbortSignal.timeout(50) }))
    const made = await client.run(MODEL, PARAMETERS)
    const late = await client.cancel(made)
    assert.deepEqual([late.outcome, late.task.status], ["too_late", "succeeded"])
    assert.equal(late.charge_micros, (await client.taskUsage(made.task_id)).charge_micros)
  })

  it("wait for a task's end in one request", async () => {
    await using later = await createInProcessService()
    const { keys, url } = later
    const targets: string[] = []
    const asked = createClient({
      url,
      key: keys.whole,
      fetch: (address, init) => {
        targets.push(`${init.method} ${new URL(address).pathname}`)
        return fetch(address, init)
      },
    })
    const task = await asked.submit(MODEL, PARAMETERS)
    const ended = asked.wait(task)
    later.engine.start()
    assert.equal((await ended).status, "succeeded")
    assert.deepEqual(targets, ["POST /v1/tasks", `GET /v1/tasks/${task.task_id}`])
  })

  it("list tasks over their pages, each once", async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () => client.submit(MODEL, PARAMETERS)),
    )
    const ids: string[] = []
    for await (const { task_id: id } of client.list({ limit: 2, model: MODEL })) ids.push(id)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(
      made.filter(({ task_id: id }) => !ids.includes(id)),
      [],
    )
  })

  it("label a task, find it by its labels, and add up what such tasks cost", async () => {
    const labels = { project: `p-${Date.now()}`, name: 'a, "b"' }
    const task = await client.run(MODEL, PARAMETERS, { labels })
    const label = [`project=${labels.project}`, `name=${labels.name}`]
    const ids: string[] = []
    for await (const { task_id: id } of client.list({ label })) ids.push(id)
    assert.deepEqual(ids, [task.task_id])
    assert.deepEqual((await client.taskUsage(task.task_id)).labels, labels)
    assert.equal((await client.usage({ label })).tasks, 1)
    assert.equal((await client.usage({ label: ["project=none"] })).tasks, 0)
    await assert.rejects(client.submit(MODEL, PARAMETERS, { labels: { No: "" } }), {
      code: "invalid_label",
    })
  })

  it("keep artifacts longer, as long as the account may", async () => {
    const task = await client.run(MODEL, PARAMETERS)
    const [artifact] = await task.artifacts()
    const until = (artifact?.expires_at ?? NaN) + 60
    await assert.rejects(client.hold(task.task_id, until), { code: "hold_not_allowed" })
    const same = await client.hold(task.task_id, new Date((until - 61) * 1_000))
    assert.equal(same[0]?.expires_at, artifact?.expires_at)
    await assert.rejects(client.hold(task.task_id, NaN), TypeError)
  })

  it("show an artifact by a private link that needs no key", async () => {
    const task = await client.run(MODEL, PARAMETERS)
    const url = await task.artifact("image_1").url({ expiresInSeconds: 60 })
    const response = await fetch(url)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), BYTES)
  })

  it("name what is refused by the specification's code and type", async () => {
    const { keys, url } = service
    const wrong = { prompt: "", size: "huge" } as unknown as typeof PARAMETERS
    await assert.rejects(client.submit(MODEL, wrong), (error: { details: object[] }) => {
      assert.equal(error.details.length, 2)
      return true
    })
    await assert.rejects(client.submit(MODEL, { prompt: "" }), {
      name: "ApiError",
      status: 400,
      code: "string_below_min_length",
      type: "invalid_request_error",
      param: "parameters.prompt",
      requestId: /^req_[0-9a-f]{24}$/,
    })
    const none = "019a0000-0000-7000-8000-000000000001"
    await assert.rejects(client.get(none), { status: 404, code: "task_not_found" })
    await assert.rejects(client.artifact(none, "video").blob(), { code: "task_not_found" })
    const reading = createClient({ url, key: keys.reading })
    await assert.rejects(reading.submit(MODEL, PARAMETERS), { code: "insufficient_scope" })
    const revoked = createClient({ url, key: keys.revoked })
    await assert.rejects(revoked.usage(), { status: 401, code: "api_key_revoked" })
  })

  it("make one task of one key, and refuse another request with it", async () => {
    const idempotencyKey = "order 7"
    const first = await client.submit(MODEL, PARAMETERS, { idempotencyKey })
    const again = await client.submit(MODEL, PARAMETERS, { idempotencyKey })
    assert.equal(again.task_id, first.task_id)
    const other = client.submit(MODEL, { prompt: "dusk" }, { idempotencyKey })
    await assert.rejects(other, { status: 422, code: "idempotency_key_reused", idempotencyKey })
  })

  describe("behind a proxy that lies", () => {
    let proxy: LyingProxy
    let lied: Client
    const clock = createTestClock()

    before(async () => {
      proxy = resources.use(await startLyingProxy(service.url))
      lied = createClient({ url: proxy.url, key: service.keys.whole, clock })
    })

    const page = { status: 502, headers: { "content-type": "text/html" }, body: Buffer.from("<!") }
    const lies: readonly (readonly [string, Spoil])[] = [
      ["lost", () => "reset"],
      ["replaced by a proxy's page", () => page],
      ["replaced by a page that says 200", () => ({ ...page, status: 200 })],
      ["cut", (answer) => ({ ...answer, body: answer.body.subarray(0, 9) })],
      [
        "never sent",
        () => {
          void clock.endSilence()
          return "silence"
        },
      ],
    ]
    for (const [name, spoil] of lies) {
      it(`have exactly one task where the replies to a submission are ${name}`, async () => {
        const stored = service.countStored().tasks
        let left = 2
        proxy.lie(
          ({ method }) => method === "POST" && left > 0,
          (answer) => {
            left -= 1
            return spoil(answer)
          },
        )
        const first = proxy.requests.length
        const task = await lied.submit(MODEL, PARAMETERS)
        const posts = proxy.requests.slice(first).map(({ headers }) => headers["idempotency-key"])
        assert.equal(posts.length, 3)
        assert.equal(new Set(posts).size, 1)
        assert.equal(service.countStored().tasks, stored + 1)
        assert.equal((await client.get(task.task_id)).task_id, task.task_id)
      })
    }

    it("have one task if a submission is given up as unknown and repeated with its key", async () => {
      const stored = service.countStored().tasks
      proxy.lie(
        ({ method }) => method === "POST",
        () => "reset",
      )
      const error = await lied.submit(MODEL, PARAMETERS).then(
        () => assert.fail("it was answered"),
        (thrown: { code: string; idempotencyKey: string }) => thrown,
      )
      assert.equal(error.code, "outcome_unknown")
      assert.equal(service.countStored().tasks, stored + 1)
      proxy.lie()
      const { idempotencyKey } = error
      await lied.submit(MODEL, PARAMETERS, { idempotencyKey })
      assert.equal(service.countStored().tasks, stored + 1)
    })

    it("have the whole artifact though its transfer is cut", async () => {
      let left = 2
      const cutting = createClient({
        url: service.url,
        key: service.keys.whole,
        clock: QUICK,
        async fetch(url, init) {
          const response = await fetch(url, init)
          if (!url.endsWith("/content") || left === 0) return response
          left -= 1
          return cut(() => response, 300)({} as never)
        },
      })
      const task = await cutting.run(MODEL, PARAMETERS)
      const blob = await task.artifact("image_1").blob()
      assert.equal(left, 0)
      const digest = createHash("sha256")
        .update(await blob.bytes())
        .digest("hex")
      assert.equal(digest, createHash("sha256").update(BYTES).digest("hex"))
    })
  })
})
