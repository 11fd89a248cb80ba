/**
 * A service on a bucket that throttles and is slow, 200 ms to the first byte and 1 MB/s from there: what was bought is
 * stored, once, and whoever does not need the bucket does not wait for it.
 */
import assert from "node:assert/strict"
import { setTimeout as delay } from "node:timers/promises"
import { describe, test, type TestContext } from "node:test"
import { createS3Artifacts } from "@safelight/artifacts-s3"
import type { Channel } from "@safelight/core"
import { makeBytes, chop } from "../../adapters/artifacts-s3/bodies.ts"
import { refuse, serveBucket, type Exchange } from "../../adapters/artifacts-s3/bucket-server.ts"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { until } from "../../support/until.ts"
import { createInProcessService, REQUEST, type InProcessService } from "../in-process-service.ts"

const FIRST_BYTE_MS = 200
const CHUNK_BYTES = 50_000
/** Of a chunk, at 1 MB/s. */
const CHUNK_MS = 50
const BYTES = makeBytes(300_000)
/** More than the client of S3 has by its own bound. */
const DOWNLOADS = 60

async function start(t: TestContext) {
  const bucket = await serveBucket(t)
  const bought: unknown[] = []
  const channel: Channel = {
    ...createInstantChannel(),
    async submit() {
      return { kind: "accepted", operation: bought.push("one") }
    },
    poll: async () => ({
      kind: "completed",
      outputs: [{ mimeType: "image/png", open: () => chop(BYTES, CHUNK_BYTES) }],
    }),
  }
  const service = await createInProcessService({
    channel,
    engineSettings: { backoffMs: 10 },
    wrapArtifacts: () => createS3Artifacts({ ...bucket.options, clock: { wait: async () => {} } }),
  })
  t.after(() => service[Symbol.asyncDispose]())
  service.engine.start()
  return { bucket, bought, service }
}

async function createTask(
  { keys, url }: InProcessService,
  key: string = keys.whole,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body: REQUEST })
  assert.equal(response.status, 202)
  return ((await response.json()) as { readonly task_id: string }).task_id
}

function get({ url }: InProcessService, key: string, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
}

async function answerSlowly({ before, operation, response, serve }: Exchange): Promise<void> {
  await delay(FIRST_BYTE_MS)
  if (operation === "PutObject" && before < 20) return refuse(response, 503, "SlowDown")
  const end = response.end.bind(response) as (chunk?: unknown) => typeof response
  response.end = (body?: unknown) => {
    if (!Buffer.isBuffer(body)) return end(body)
    void (async () => {
      for await (const chunk of chop(body, CHUNK_BYTES)) {
        await delay(CHUNK_MS)
        response.write(Buffer.from(chunk))
      }
      end()
    })()
    return response
  }
  serve()
}

describe("a bucket that throttles and is slow", () => {
  test("gets each artifact once, of a task that is bought once", async (t) => {
    const { bucket, bought, service } = await start(t)
    bucket.act = answerSlowly
    const tasks = await Promise.all(Array.from({ length: 3 }, () => createTask(service)))
    for (const id of tasks) {
      assert.equal((await service.engine.finished(id))?.state, "succeeded.available")
      const path = `/v1/tasks/${id}/artifacts/image_1/content`
      const response = await get(service, service.keys.whole, path)
      assert.ok(BYTES.equals(await response.bytes()))
    }
    assert.deepEqual([bought.length, bucket.objects.size], [3, 3])
    assert.ok(service.logged.every(({ level }) => level === "info"))
  })

  test("keeps nobody waiting who does not need it, and no download for another's", async (t) => {
    const { bucket, bought, service } = await start(t)
    const { other, whole } = service.keys
    const [slow, fast] = [await createTask(service), await createTask(service, other)]
    await Promise.all([slow, fast].map((id) => service.engine.finished(id)))
    const waiting: Exchange[] = []
    bucket.act = (exchange) => {
      const isHeld = exchange.operation === "PutObject" || exchange.key.includes(slow)
      if (isHeld) waiting.push(exchange)
      else exchange.serve()
    }
    const content = (id: string) => `/v1/tasks/${id}/artifacts/image_1/content`
    const downloads = Array.from({ length: DOWNLOADS }, () => get(service, whole, content(slow)))
    const task = await createTask(service)
    await until(() => waiting.length === DOWNLOADS + 1)

    assert.ok(BYTES.equals(await get(service, other, content(fast)).then((it) => it.bytes())))
    assert.equal((await get(service, whole, `/v1/tasks/${task}`)).status, 200)
    assert.equal((await get(service, other, "/v1/tasks")).status, 200)
    assert.equal(waiting.length, DOWNLOADS + 1)

    bucket.act = (exchange) => exchange.serve()
    for (const exchange of waiting) exchange.serve()
    for (const response of await Promise.all(downloads)) {
      assert.ok(BYTES.equals(await response.bytes()))
    }
    assert.equal((await service.engine.finished(task))?.state, "succeeded.available")
    assert.deepEqual([bought.length, bucket.objects.size], [3, 3])
  })
})
