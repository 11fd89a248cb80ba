/**
 * One node of several over a PostgreSQL cluster: the task API and the engine, with a provider that answers at once.
 * Asked for its "purchases", it tells the upstream key of each.
 */
import { createAccess, createKey } from "@safelight/access"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { announce } from "./announce.ts"

const storage = await createPostgresStorage({ url: process.argv[2] ?? "" })
const artifacts = createMemoryArtifacts({ keep: 100 })
const instant = createInstantChannel()
const purchases: string[] = []
const channel: typeof instant = {
  ...instant,
  submit(request) {
    purchases.push(request.upstreamKey)
    return instant.submit(request)
  },
}
/** Each failover would fill pages. */
const log = { info() {}, warn() {}, error() {} }
const engine = createEngine({ storage, artifacts, channels: [channel], log })
engine.start()
const { key } = await createKey({ keys: storage, account: "ada", now: Date.now() })
const publicUrl = (): string => "http://127.0.0.1"
const access = createAccess({ storage, service: engine, clock: systemClock })
const handler = createHttpHandler({ service: engine, access, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
process.on("message", (question) => {
  if (question === "purchases") process.send?.(purchases)
})
announce({ url, key })
