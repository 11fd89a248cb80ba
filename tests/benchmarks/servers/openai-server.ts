/**
 * The task API and its door for OpenAI's programs over SQLite, in a process of its own. Its channel answers at once;
 * a task whose prompt begins with "wait" goes on for ever. Tells the parent where it listens, and a key.
 */
import { createAccess, createKey } from "@safelight/access"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { type Channel, SILENT_LOG } from "@safelight/core"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer, type HttpHandler } from "@safelight/http"
import { createOpenAiHandler } from "@safelight/openai"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })

const instant = createInstantChannel(2_000)
const channel: Channel = {
  ...instant,
  answersAtOnce: () => true,
  async submit(submission) {
    const { prompt } = submission.parameters as { readonly prompt: string }
    if (!prompt.startsWith("wait")) return instant.submit(submission)
    return { kind: "accepted", operation: { id: "waits" } }
  },
  poll: async () => ({ kind: "running", pollAfterMs: 10_000 }),
}

const engine = createEngine({ storage, artifacts, channels: [channel], log: SILENT_LOG })
engine.start()
/** Far above what is asked for. */
const rate = { requests: 1_000_000_000, windowMs: 60_000 }
const limits = { unfinishedTasks: null, runningTasks: 10_000 }
const rates = { create: rate, read: rate, content: rate }
await storage.setAccount({ id: "bench", now: Date.now(), settings: { rates, ...limits } })
const { key } = await createKey({ keys: storage, account: "bench", now: Date.now() })

const access = createAccess({ storage, service: engine, clock: systemClock })
let url = ""
const openai = createOpenAiHandler({
  fetch: async (path, init, bindings) => handler.fetch(new Request(path, init), bindings),
})
const handler: HttpHandler = createHttpHandler({
  service: engine,
  access,
  clock: systemClock,
  publicUrl: () => url,
  openai,
  settings: { waits: 2_000, accountWaits: 2_000, streams: 2_000, streamsOfAccount: 2_000 },
})
const server = await createNodeServer({ handler })
url = server.url
announce({ url, key })
