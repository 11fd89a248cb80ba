/** Where metrics are served, by the settings of a service: nowhere unless somebody asks for it. */
import { createAccess } from "@safelight/access"
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { SILENT_LOG, type LogFields } from "@safelight/core"
import { createManualClock, createScriptedChannel, createMemoryStorage } from "@safelight/testkit"
import { createWatching, type WatchingSettings } from "safelight"
import { createFakeService } from "../../adapters/http/fake-service.ts"
import { createFakeStorage } from "../../adapters/http/fake-storage.ts"
import { parsePrometheusText, readSample } from "./prometheus-text.ts"

const OFF: WatchingSettings = { metrics: false, metricsHost: "127.0.0.1" }

async function createWorld(settings: WatchingSettings) {
  const clock = createManualClock()
  const logged: LogFields[] = []
  const log = { ...SILENT_LOG, info: (fields: LogFields) => void logged.push(fields) }
  const watching = await createWatching({ settings, clock, log })
  const { service } = createFakeService()
  const handler = createHttpHandler({
    service,
    access: createAccess({ storage: createFakeStorage().storage, service, clock }),
    clock,
    publicUrl: () => "https://media.example",
    ...watching.handler,
  })
  const server = await createNodeServer({ handler, ...watching.server })
  const own = await watching.listen()
  return {
    watching,
    log,
    logged,
    own,
    readStatus: async () => (await fetch(`${server.url}/metrics`)).status,
    async [Symbol.asyncDispose]() {
      await own?.close({ graceMs: 0 })
      await server.close({ graceMs: 0 })
    },
  }
}

describe("a service that is watched", () => {
  it("serves no metrics and leaves its pieces as they are, but logs requests, by default", async () => {
    await using world = await createWorld(OFF)
    assert.equal(await world.readStatus(), 404)
    assert.equal(world.own, undefined)
    const storage = createMemoryStorage()
    const channel = createScriptedChannel()
    assert.equal(world.watching.observeStorage(storage), storage)
    assert.equal(world.watching.observeChannel(channel), channel)
    assert.equal(world.watching.log, world.log)
    world.watching.storage.onCommit({ changes: 2, durationMs: 5 })
    assert.equal(world.watching.commits.read().batches, 1)
    assert.deepEqual(
      world.logged.map((fields) => fields["status"]),
      [404],
    )
  })

  it("serves them where everybody is served if it is told to", async () => {
    await using world = await createWorld({ ...OFF, metrics: true })
    assert.equal(await world.readStatus(), 200)
    assert.equal(world.own, undefined)
  })

  it("serves them on a listener of their own alone if it is given a port", async () => {
    await using world = await createWorld({ ...OFF, metricsPort: 0 })
    assert.equal(await world.readStatus(), 404)
    const storage = world.watching.observeStorage(createMemoryStorage())
    await storage.readTask("unknown")
    world.watching.log.error({ task: "secret" }, "events lost")
    world.watching.log.error({ task: "another" }, "events lost")
    world.watching.log.warn({}, "clock jump")
    world.watching.log.info({}, "request")
    const text = await (await fetch(`${world.own?.url}/metrics`)).text()
    const families = parsePrometheusText(text)
    const count = (name: string, labels: Record<string, string>) =>
      readSample(families, `safelight_${name}_duration_seconds_count`, labels)
    assert.equal(count("storage", { method: "readTask" }), 1)
    assert.equal(count("http_request", { route: "none" }), 1)
    const entries = (level: string, message: string) =>
      readSample(families, "safelight_log_entries_total", { level, message })
    assert.deepEqual([entries("error", "events lost"), entries("warn", "clock jump")], [2, 1])
    assert.equal(families.get("safelight_log_entries_total")?.samples.length, 2)
    assert.equal(world.logged.length, 2)
  })

  it("says so where that port can't be had", async () => {
    await using world = await createWorld({ ...OFF, metricsPort: 0 })
    const metricsPort = Number(new URL(world.own?.url ?? "").port)
    const settings = { ...OFF, metricsPort }
    const clock = createManualClock()
    const watching = await createWatching({ settings, clock, log: SILENT_LOG })
    await assert.rejects(watching.listen(), { code: "invalid-configuration" })
  })
})
