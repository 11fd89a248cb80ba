/**
 * The task API of a service with the three models and those of a folder's files, in a process of its own; its
 * engine is not started, so a POST costs its acceptance alone. Tells the parent where it listens, a key, how long
 * the files took to load (ms), and what they added to the heap and to the resident memory (MiB).
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { MODELS } from "@safelight/core"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createAccess, createKey } from "@safelight/access"
import { loadConfiguration } from "safelight"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const MEBIBYTE = 1024 * 1024

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

function measure(): { readonly heap: number; readonly rss: number } {
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / MEBIBYTE, rss: rss / MEBIBYTE }
}

const source = { flags: {}, environment: {}, folder }
// The reader's own code is loaded and warm, as that of a service that was started before.
await loadConfiguration({ ...source, folder: `${folder}/few` })
const before = measure()
const startedAt = performance.now()
const { models, prices } = await loadConfiguration(source)
const loadMs = performance.now() - startedAt
const after = measure()

const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
const ids = models.map(({ id }) => id)
const channels = [{ ...createInstantChannel(), models: ids }]
const engine = createEngine({
  storage,
  artifacts,
  channels,
  models,
  prices,
  queueUnavailable: true,
})
const { key } = await createKey({ keys: storage, account: "shop", now: Date.now() })
const access = createAccess({ storage, service: engine, clock: systemClock })
const publicUrl = (): string => "http://127.0.0.1"
const handler = createHttpHandler({
  service: engine,
  access,
  clock: systemClock,
  publicUrl,
  models,
})
const { url } = await createNodeServer({ handler })
announce({
  url,
  key,
  count: models.length - MODELS.length,
  loadMs,
  heapMb: after.heap - before.heap,
  rssMb: after.rss - before.rss,
})
