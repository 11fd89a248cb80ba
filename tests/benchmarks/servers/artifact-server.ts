/**
 * The task API with one finished task whose artifact has 100 MiB; tells its file's path too. Its
 * bytes come from one buffer, or what making them left behind would hide what serving them takes.
 */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { MODELS, type Channel } from "@safelight/core"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createAccess, createKey } from "@safelight/access"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const MEBIBYTE = 1024 * 1024

async function* large(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(MEBIBYTE)
  for (let count = 0; count < 100; count += 1) yield chunk.fill(count)
}

const [, , folder = "", reads] = process.argv
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
const channel: Channel = {
  name: "large",
  models: MODELS.map(({ id }) => id),
  submission: { kind: "unkeyed" },
  concurrency: 1,
  submitTimeoutMs: 10_000,
  submit: async () => ({
    kind: "completed",
    outputs: [{ mimeType: "image/png", open: () => large() }],
  }),
  poll: () => Promise.reject(new Error("never polled")),
}
const verifyReads = reads !== "unverified"
const engine = createEngine({ storage, artifacts, channels: [channel], verifyReads })
engine.start()
const { account } = SAMPLE_REQUEST
const { key } = await createKey({ keys: storage, account, now: Date.now() })
const submitted = await engine.submit(SAMPLE_REQUEST)
if (submitted.kind === "rejected") throw new Error(submitted.rejection.code)
const task = await engine.finished(submitted.task.id)
const publicUrl = (): string => "http://127.0.0.1"
const access = createAccess({ storage, service: engine, clock: systemClock })
const handler = createHttpHandler({ service: engine, access, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
process.on("message", () => process.send?.({ rssBytes: process.memoryUsage.rss() }))
announce({ url, key, id: task?.id, locator: task?.artifacts[0]?.locator })
