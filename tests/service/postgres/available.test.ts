/**
 * An api and workers on one database: what a model's callers are told follows the workers' channels, and what
 * nobody can make is refused over HTTP, with nothing stored.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { imageEdit, textToImage } from "@safelight/core"
import { openOwnServices } from "../own-services.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import { until } from "../../support/until.ts"

const ENVIRONMENT = { FAL_KEY: "a-key-of-nobody" }

interface Shown {
  readonly available: boolean
  readonly unavailable_reason: string | null
}

test("an api refuses what no worker can make, and takes it as soon as one can", async (t) => {
  const services = await openOwnServices(t)
  const { url: database } = services.places.use(await createTestDatabase())
  const shared = { database, artifacts: join(services.folder, "artifacts") }
  const fal = [{ type: "fal", models: [imageEdit.id] }]
  const options = { environment: ENVIRONMENT }
  await services.start({ ...shared, role: "worker", channels: fal }, options)
  const api = await services.start({ ...shared, role: "api" })
  const key = (await api.operator.accounts.makeFirstKey())?.key ?? assert.fail("no key")
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }

  async function show(model: string): Promise<Shown> {
    const response = await fetch(`${api.url}/v1/models/${model}`, { headers })
    return (await response.json()) as Shown
  }
  function post(more: Readonly<Record<string, string>> = {}): Promise<Response> {
    const { model, parameters } = SAMPLE_REQUEST
    const body = JSON.stringify({ model, parameters })
    return fetch(`${api.url}/v1/tasks`, { method: "POST", headers: { ...headers, ...more }, body })
  }

  assert.equal(SAMPLE_REQUEST.model, textToImage.id)
  await until(async () => (await show(textToImage.id)).unavailable_reason === "no_channel")
  assert.equal((await show(imageEdit.id)).available, true)
  const refused = await post({ "idempotency-key": "one" })
  const { error } = (await refused.json()) as { error: { code: string; message: string } }
  assert.deepEqual([refused.status, error.code], [503, "model_unavailable"])
  assert.doesNotMatch(error.message, /fal|key/i)
  assert.ok(refused.headers.has("retry-after"))
  const listed = await fetch(`${api.url}/v1/tasks`, { headers })
  assert.deepEqual(((await listed.json()) as { tasks: unknown[] }).tasks, [])

  await services.start({ ...shared, role: "worker" })
  await until(async () => (await show(textToImage.id)).available)
  assert.equal((await post({ "idempotency-key": "one" })).status, 202)
  await api.storage.pauseChannel({ channel: "studio", pausedAt: Date.now() })
  await until(async () => (await show(textToImage.id)).unavailable_reason === "paused")
  assert.equal((await post()).status, 503)
  const replayed = await post({ "idempotency-key": "one" })
  assert.deepEqual([replayed.status, replayed.headers.get("idempotent-replayed")], [202, "true"])
})
