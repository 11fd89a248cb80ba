/**
 * The task API over SQLite in a process of its own; its engine is not started, so a POST costs its
 * acceptance alone. Tells the parent where it listens, a key, and ids of tasks that wait.
 */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { API_KEY_SCOPES, createApiKeyParts, formatApiKey } from "@safelight/core"
import { createEngine, sha256, systemClock, systemRandomness } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
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
const ids: string[] = []
for (let count = 0; count < 500; count += 1) {
  const result = await engine.submit(SAMPLE_REQUEST)
  if (result.kind === "submitted") ids.push(result.task.id)
}
const publicUrl = (): string => "http://127.0.0.1"
const handler = createHttpHandler({ service: engine, keys: storage, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
announce({ url, ids, key: formatApiKey(parts) })
