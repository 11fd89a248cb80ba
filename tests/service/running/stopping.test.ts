/**
 * A service that is stopped while one of its scheduled runs hangs, in this process: it serves no more at once,
 * waits no longer than it may, and nothing that is left behind is heard of again.
 */
import assert from "node:assert/strict"
import { EventEmitter, once } from "node:events"
import { describe, test, type TestContext } from "node:test"
import type { Log } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import { createFirstKey } from "@safelight/access"
import { createService, DEFAULTS, type Configuration } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { reach, submit } from "../client.ts"
import { startBucket, type ScriptedBucket } from "../bucket/scripted-bucket.ts"

/** Of the nightly sweep alone: a check asks for one at most. */
const UPLOADS = /^GET \/artifacts\/\?(?!.*max-uploads).*uploads/
/** Of one task, as the sweep of each minute asks for it. */
const OBJECTS = /^GET \/artifacts\/\?list-type=2&prefix=(?!\.check)/

interface Line {
  readonly level: keyof Log
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

interface KeepingLog {
  readonly log: Log
  readonly lines: readonly Line[]
  /** Resolves once a line names the task. */
  tells(task: string): Promise<void>
}

function createKeepingLog(): KeepingLog {
  const lines: Line[] = []
  const told = new EventEmitter()
  const keep =
    (level: keyof Log): Log["info"] =>
    (fields, message) => {
      lines.push({ level, fields, message })
      told.emit(String(fields["task"]))
    }
  return {
    lines,
    log: { info: keep("info"), warn: keep("warn"), error: keep("error") },
    tells: async (task) => void (await once(told, task)),
  }
}

async function toConfiguration(
  t: TestContext,
  bucket: ScriptedBucket,
  changes: Partial<Configuration> = {},
): Promise<Configuration> {
  const folder = await createTemporaryFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  const studio = { sandbox: true }
  return { ...DEFAULTS, port: 0, studio, data: folder.path, ...bucket.place, ...changes }
}

describe("a stop while a scheduled run hangs", () => {
  test("serves no more at once, and is seen at /metrics until all has ended", async (t) => {
    const bucket = await startBucket(t)
    bucket.hold(UPLOADS)
    const configuration = await toConfiguration(t, bucket, { metricsPort: 0 })
    const { log, lines } = createKeepingLog()
    const service = await createService({ configuration, log })
    await bucket.holds()
    const stopped = service.stop()
    await assert.rejects(fetch(`${service.url}/healthz`))
    assert.equal((await fetch(`${service.metricsUrl}/metrics`)).status, 200)
    bucket.release()
    await stopped
    await assert.rejects(fetch(`${service.metricsUrl}/metrics`))
    assert.deepEqual(
      lines.filter(({ level }) => level !== "info"),
      [],
    )
  })

  test("waits for it as long as for what runs, and names it", { timeout: 60_000 }, async (t) => {
    const bucket = await startBucket(t)
    bucket.hold(UPLOADS)
    const configuration = await toConfiguration(t, bucket, { stopGraceMs: 100 })
    const { log, lines } = createKeepingLog()
    const service = await createService({ configuration, log })
    await bucket.holds()
    await service.stop()
    const left = lines.find(({ message }) => message === "scheduled runs abandoned")
    assert.match(JSON.stringify(left?.fields), /"sweep-incoming"/)
    // The folder is given up, and what hung is answered by nobody who minds.
    bucket.release()
    await (await createService({ configuration })).stop()
  })

  test("leaves a sweep behind that fails unheard once the database is closed", async (t) => {
    const bucket = await startBucket(t)
    const configuration = await toConfiguration(t, bucket, {
      stopGraceMs: 100,
      // Longer than this service lasts, whose own sweep would remove it.
      retentionMs: 1_800_000,
      engine: { removeAfterMs: 1 },
    })
    const first = await createService({ configuration })
    const created = await createFirstKey(first.storage, Date.now())
    const client = { url: first.url, key: created?.key ?? "" }
    const id = await submit(client, "[studio: at-once] fog")
    await reach(client, id, "succeeded")
    await first.stop()

    bucket.hold(OBJECTS)
    const clock = { ...systemClock, now: () => Date.now() + 3_600_000 }
    const { log, lines, tells } = createKeepingLog()
    // Else such a clock would remove nothing yet.
    const second = await createService({ configuration, log, clock, trustsClock: true })
    await bucket.holds()
    await second.stop()
    // The engine's own line, as of any task that it can't tend; nothing follows, here or as a rejection.
    const untended = tells(id)
    bucket.release()
    await untended
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      lines.filter(({ level }) => level === "error"),
      [],
    )
  })
})
