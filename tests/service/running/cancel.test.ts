/** Cancelling and waiting at the whole service: the studio renders, and a client asks over HTTP. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createFirstKey } from "@safelight/access"
import { createClient, type Client } from "@safelight/client"
import { createService, DEFAULTS, type Service } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"
const LONG = { prompt: "[studio: delay 60s] fog" }

describe("a service", () => {
  const resources = new AsyncDisposableStack()
  let service: Service
  let client: Client
  let key = ""

  before(async () => {
    const { path: data } = resources.use(await createTemporaryFolder())
    const studio = { sandbox: true }
    service = await createService({
      configuration: { ...DEFAULTS, port: 0, stopGraceMs: 1_000, studio, data },
    })
    resources.defer(() => service.stop())
    key = (await createFirstKey(service.storage, Date.now()))?.key ?? ""
    client = createClient({ url: service.url, key })
  })
  after(() => resources.disposeAsync())

  it("stops what it renders for a task that is cancelled, and gives back what was reserved", async () => {
    const task = await client.submit(MODEL, LONG)
    await until(
      () => client.events(task.task_id),
      (events) => events.some(({ type }) => type === "accepted"),
    )
    assert.ok((await client.usage()).account.reserved_micros > 0)
    const waiting = client.wait(task)
    // It follows a rendering from its first poll on.
    const cancelled = await until(
      () => client.cancel(task),
      ({ outcome }) => outcome !== "unknown",
    )
    assert.equal(cancelled.outcome, "stopped")
    assert.deepEqual([cancelled.charge_micros, cancelled.task.status], [0, "failed"])
    assert.equal((await waiting).error?.code, "task_cancelled")
    const { account } = await client.usage()
    assert.deepEqual([account.reserved_micros, account.unfinished_tasks], [0, 0])
    const { url } = service
    const again = await fetch(`${url}/v1/tasks/${task.task_id}/cancel`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    })
    assert.equal(((await again.json()) as { outcome: string }).outcome, "stopped")
  })

  it("answers what waits at once when it stops, and ends nothing", async () => {
    const task = await client.submit(MODEL, LONG)
    const { engine, url } = service
    const { finished } = engine
    let waits = 0
    engine.finished = (id, options) => {
      waits += 1
      return finished(id, options)
    }
    const headers = { authorization: `Bearer ${key}`, prefer: "wait=60" }
    const asked = fetch(`${url}/v1/tasks/${task.task_id}`, { headers })
    await until(() => waits === 1)
    const stopped = service.stop()
    const answer = await asked
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get("preference-applied"), null)
    const { status } = (await answer.json()) as { readonly status: string }
    assert.ok(["queued", "running"].includes(status), status)
    await stopped
  })
})
