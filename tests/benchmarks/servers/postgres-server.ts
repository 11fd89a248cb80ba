/**
 * The task API over PostgreSQL in a process of its own, its engine not started. Tells the parent where
 * it listens, a key of the account `heavy`, and the id of a task that waits.
 */
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createAccess, createKey } from "@safelight/access"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const account = "heavy"
const storage = await createPostgresStorage({ url: process.argv[2] ?? "" })
const artifacts = createMemoryArtifacts({ keep: 100 })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
const { key } = await createKey({ keys: storage, account, now: Date.now() })
const result = await engine.submit({ ...SAMPLE_REQUEST, account })
if (result.kind === "rejected") throw new Error(result.rejection.code)
const publicUrl = (): string => "http://127.0.0.1"
const access = createAccess({ storage, service: engine, clock: systemClock })
const handler = createHttpHandler({ service: engine, access, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
announce({ url, key, id: result.task.id })
