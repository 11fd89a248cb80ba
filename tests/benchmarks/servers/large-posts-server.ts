/**
 * The task API over SQLite with its engine running and a channel that answers at once: a large
 * POST costs all that a service does for it but a rendering. Asked by a message, it tells the
 * longest block of its event loop, and what its main thread used, since it was asked last.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createAccess, createKey } from "@safelight/access"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createMemoryArtifacts()
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
engine.start()
const { account } = SAMPLE_REQUEST
const { key } = await createKey({ keys: storage, account, now: Date.now() })
const submitted = await engine.submit(SAMPLE_REQUEST)
if (submitted.kind === "rejected") throw new Error(submitted.rejection.code)
const publicUrl = (): string => "http://127.0.0.1"
const access = createAccess({ storage, service: engine, clock: systemClock })
const handler = createHttpHandler({ service: engine, access, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let used = process.threadCpuUsage()
process.on("message", () => {
  const { user, system } = process.threadCpuUsage(used)
  const longestBlockMs = delay.max / 1e6
  process.send?.({
    longestBlockMs,
    cpuMs: (user + system) / 1e3,
    rssBytes: process.memoryUsage.rss(),
  })
  used = process.threadCpuUsage()
  delay.reset()
})
announce({ url, key, id: submitted.task.id })
