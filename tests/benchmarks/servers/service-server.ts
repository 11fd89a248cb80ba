/**
 * The task API over SQLite in a process of its own; its engine is not started, so a POST costs its
 * acceptance alone. Tells the parent where it listens, and of two accounts a key and the ids of
 * tasks that wait: one without limits, and one with every limit there is.
 */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createAccess, createKey } from "@safelight/access"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
/** Far above what the benchmark asks for: what is measured is the counting, not the refusing. */
const rate = { requests: 1_000_000_000, windowMs: 60_000 }

interface Caller {
  readonly key: string
  /** Tasks of its account that wait. */
  readonly ids: readonly string[]
}

async function makeCaller(account: string): Promise<Caller> {
  const { key } = await createKey({ keys: storage, account, now: Date.now() })
  const ids: string[] = []
  for (let count = 0; count < 500; count += 1) {
    const result = await engine.submit({ ...SAMPLE_REQUEST, account })
    if (result.kind === "submitted") ids.push(result.task.id)
  }
  return { key, ids }
}

const plain = await makeCaller("plain")
const limited = await makeCaller("limited")
await storage.setAccount({
  id: "limited",
  now: Date.now(),
  settings: {
    budgetMicros: Number.MAX_SAFE_INTEGER,
    rates: { create: rate, read: rate, content: rate },
    unfinishedTasks: Number.MAX_SAFE_INTEGER,
  },
})
const publicUrl = (): string => "http://127.0.0.1"
const access = createAccess({ storage, service: engine, clock: systemClock })
const handler = createHttpHandler({ service: engine, access, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
announce({ url, plain, limited })
