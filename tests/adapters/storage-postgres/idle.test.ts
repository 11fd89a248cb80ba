/** Proxies that end connections while nobody uses them: no caller notices, whatever it asks for next. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { startIdleProxy, type IdleProxy } from "../../support/idle-proxy.ts"
import { FACTS } from "../../support/lease-facts.ts"
import { until } from "../../support/until.ts"
import { open, toTasks } from "./open.ts"

/** Longer than a connection is taken to be up without being asked. */
const IDLE_MS = 1_000

/** A storage's connections that have been used: lanes, takings, look-ups, sums, transactions. */
const CONNECTIONS = 2 + 1 + 3 + 1 + 1

async function askEach(storage: Storage, round: number): Promise<void> {
  const [first = assert.fail(), second = assert.fail()] = toTasks(2, `round-${round}`)
  // Two lanes, unless one commits both.
  await Promise.all([storage.append(first.append), storage.admit({ append: second.append })])
  await storage.heartbeat({ lease: "lease", heartbeats: round, facts: FACTS })
  // Changes of one statement, which are never repeated, over each of the connections that are shared.
  for (const id of ["a", "b", "c"]) {
    await storage.retain({ task: `round-${round}-${id}`, dueAt: 1 })
  }
  // A transaction of several statements.
  await storage.setAccount({ id: "account", now: 1, settings: { unfinishedTasks: 100 + round } })
  assert.deepEqual(await storage.readTask(first.head.task.id), first.head)
  await storage.measureQueue()
  await storage.check()
}

/** Whatever was open has been ended. */
async function untilAllEnded(proxy: IdleProxy, before: number): Promise<void> {
  await until(() => proxy.ended() - before >= CONNECTIONS)
}

describe("a proxy that ends idle connections", { concurrency: true }, () => {
  for (const way of ["closed", "forgotten"] as const) {
    it(`by which they are ${way} is not noticed by whoever asks next`, async () => {
      await using opened = await open()
      const { port } = new URL(opened.url)
      await using proxy = await startIdleProxy({ port: Number(port), idleMs: IDLE_MS, way })
      const url = new URL(opened.url)
      url.port = String(proxy.port)
      const storage = await createPostgresStorage({ url: url.href })
      for (const round of [1, 2, 3]) {
        const before = proxy.ended()
        await askEach(storage, round)
        await untilAllEnded(proxy, before)
      }
      await askEach(storage, 4)
      await storage.close()
    })
  }
})
