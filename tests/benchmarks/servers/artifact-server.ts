/** The task API with one finished task whose artifact has 100 MiB; tells its file's path too. */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import {
  API_KEY_SCOPES,
  createApiKeyParts,
  formatApiKey,
  MODELS,
  type Channel,
} from "@safelight/core"
import { createEngine, sha256, systemClock, systemRandomness } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const MEBIBYTE = 1024 * 1024

async function* large(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 100; count += 1) yield new Uint8Array(MEBIBYTE).fill(count)
}

const folder = process.argv[2] ?? ""
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
    outputs: [{ mimeType: "image/png", body: large() }],
  }),
  poll: () => Promise.reject(new Error("never polled")),
}
const engine = createEngine({ storage, artifacts, channels: [channel] })
engine.start()
const parts = createApiKeyParts(systemRandomness(new Uint8Array(96)))
await storage.createKey({
  id: parts.id,
  account: SAMPLE_REQUEST.account,
  secretSha256: sha256([parts.secret]),
  scopes: API_KEY_SCOPES,
  createdAt: Date.now(),
  revokedAt: 0,
  expiresAt: 0,
})
const submitted = await engine.submit(SAMPLE_REQUEST)
if (submitted.kind === "rejected") throw new Error(submitted.rejection.code)
const task = await engine.finished(submitted.task.id)
const publicUrl = (): string => "http://127.0.0.1"
const handler = createHttpHandler({ service: engine, keys: storage, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
process.on("message", () => process.send?.({ rssBytes: process.memoryUsage.rss() }))
announce({ url, key: formatApiKey(parts), id: task?.id, place: task?.artifacts[0]?.place })
