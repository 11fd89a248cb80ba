/**
 * The metrics around the real engine on a real database: what is accepted is what is counted, and
 * what waits there is the queue that a scrape tells.
 */
import assert from "node:assert/strict"
import { it } from "node:test"
import type { ArtifactStorage, Storage } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import { createMetrics } from "safelight"
import { createInProcessService } from "../in-process-service.ts"
import { CREATION } from "./metrics-world.ts"
import { parsePrometheusText, readSample } from "./prometheus-text.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

function watch() {
  const metrics = createMetrics({ clock: systemClock })
  const { onAnswered } = metrics
  const wrapStorage = (storage: Storage): Storage => metrics.observeStorage(storage)
  const wrapArtifacts = (files: ArtifactStorage): ArtifactStorage => metrics.observeArtifacts(files)
  return {
    options: { onAnswered, wrapStorage, wrapArtifacts },
    read: async () => parsePrometheusText((await metrics.scrape()).text),
  }
}

type Service = Awaited<ReturnType<typeof createInProcessService>>

async function submit({ url, keys }: Service): Promise<string> {
  const headers = { ...CREATION.headers, authorization: `Bearer ${keys.whole}` }
  const response = await fetch(`${url}/v1/tasks`, { ...CREATION, headers })
  assert.equal(response.status, 202)
  return ((await response.json()) as { task_id: string }).task_id
}

it("tells how many accepted tasks wait while nobody works on them", async () => {
  const { options, read } = watch()
  await using service = await createInProcessService(options)
  for (let round = 0; round < 3; round += 1) {
    await submit(service)
  }
  const families = await read()
  const queued = (state: string) =>
    readSample(families, "safelight_queue_tasks", { model: MODEL, state })
  assert.deepEqual([queued("waiting"), queued("held")], [3, 0])
  const oldest = readSample(families, "safelight_queue_oldest_waiting_seconds", { model: MODEL })
  assert.ok(oldest !== undefined && oldest >= 0, String(oldest))
  assert.equal(readSample(families, "safelight_storage_up"), 1)
  assert.equal(readSample(families, "safelight_events_appended_total", { type: "submitted" }), 3)
  const labels = { route: "/v1/tasks", method: "POST", status: "2xx" }
  const answered = "safelight_http_request_duration_seconds_count"
  assert.equal(readSample(families, answered, labels), 3)
})

it("counts what tasks came to and the bytes they left, and leaves none in the queue", async () => {
  const { options, read } = watch()
  await using service = await createInProcessService(options)
  service.engine.start()
  for (let round = 0; round < 3; round += 1) {
    await service.engine.finished(await submit(service))
  }
  const families = await read()
  const events = (type: string) => readSample(families, "safelight_events_appended_total", { type })
  assert.deepEqual([events("submitted"), events("succeeded"), events("failed")], [3, 3, undefined])
  assert.equal(readSample(families, "safelight_artifacts_stored_bytes_total"), 3 * 1_024)
  for (const state of ["waiting", "held"]) {
    assert.equal(readSample(families, "safelight_queue_tasks", { model: MODEL, state }), 0)
  }
})
