/**
 * The task API over SQLite in a process of its own; its engine is not started, so a POST costs its
 * acceptance alone. Tells the parent where it listens, a key, and ids of tasks that wait.
 */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createKey } from "safelight"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
const { account } = SAMPLE_REQUEST
const { key } = await createKey({ keys: storage, account, now: Date.now() })
const ids: string[] = []
for (let count = 0; count < 500; count += 1) {
  const result = await engine.submit(SAMPLE_REQUEST)
  if (result.kind === "submitted") ids.push(result.task.id)
}
const publicUrl = (): string => "http://127.0.0.1"
const handler = createHttpHandler({ service: engine, storage, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
announce({ url, ids, key })
