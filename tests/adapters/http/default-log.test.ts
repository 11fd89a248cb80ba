/** What the handlers and the server say to whom if their host gave them no log: errors alone, on the console. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { SILENT_LOG, type Access, type Log } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import {
  createHealthHandler,
  createHttpHandler,
  createMetricsHandler,
  createNodeServer,
  type HttpHandler,
} from "@safelight/http"
import { createFakeService } from "./fake-service.ts"
import { NEVER_MS, watchThreads } from "./thread-watch.ts"
import { createWorld, VALID } from "./worlds.ts"

const clock = systemClock
const broken = (): Promise<never> => Promise.reject(new Error("a bug"))

/** Each with metrics that reject, which is a bug of the host's. */
const HANDLERS: Readonly<Record<string, (given: { readonly log?: Log }) => HttpHandler>> = {
  createHttpHandler: (given) =>
    createHttpHandler({
      service: createFakeService().service,
      access: {} as Access,
      clock,
      publicUrl: () => "",
      metrics: broken,
      ...given,
    }),
  createHealthHandler: (given) =>
    createHealthHandler({ checkReady: async () => {}, clock, metrics: broken, ...given }),
  createMetricsHandler: (given) => createMetricsHandler({ clock, metrics: broken, ...given }),
}

function watchConsole(t: TestContext): readonly string[] {
  const lines: string[] = []
  t.mock.method(console, "error", (line: string) => lines.push(line))
  return lines
}

describe("without a log", () => {
  for (const [name, create] of Object.entries(HANDLERS)) {
    it(`${name} writes what is wrong with us on the console`, async (t) => {
      const lines = watchConsole(t)
      const response = await create({}).fetch(new Request("http://a/metrics"))
      assert.equal(response.status, 500)
      assert.equal(lines.length, 1)
      assert.match(lines[0] ?? "", /^safelight: request failed \{.*"message":"a bug"/)
    })

    it(`${name} is silent if the host asked for that`, async (t) => {
      const lines = watchConsole(t)
      await create({ log: SILENT_LOG }).fetch(new Request("http://a/metrics"))
      assert.deepEqual(lines, [])
    })
  }

  it("createNodeServer writes on the console that a thread of its own ended", async (t) => {
    const lines = watchConsole(t)
    using threads = watchThreads()
    threads.onStart((worker) => void worker.terminate())
    const { handler, key } = await createWorld("in process")
    const server = await createNodeServer({ handler, settings: { bodyThreadRestMs: NEVER_MS } })
    const response = await fetch(`${server.url}/v1/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: " ".repeat(1024 * 1024) + JSON.stringify(VALID),
    })
    assert.equal(response.status, 503)
    await server.close({ graceMs: 0 })
    assert.ok(
      lines.some((line) => line.startsWith("safelight: body thread ended {")),
      lines.join("\n"),
    )
  })
})
