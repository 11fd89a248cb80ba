/** A whole service in one program, which submits a task to itself and stops. */
import { createAccess, createKey } from "@safelight/access"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createStudioChannel } from "@safelight/channel-studio"
import { createEngine } from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createMediaInspector } from "@safelight/media-inspector"
import { createSqliteStorage } from "@safelight/storage-sqlite"

const storage = await createSqliteStorage({ folder: "data" })
const artifacts = createFilesystemArtifacts({ folder: "data/artifacts" })
const ports = { media: createGuardedFetch(), inspector: createMediaInspector() }
const channels = [createStudioChannel(ports)]
const engine = createEngine({ ...ports, storage, artifacts, channels })
engine.start()

let url = ""
const { clock } = engine
const handler = createHttpHandler({
  service: engine,
  access: createAccess({ storage, service: engine, clock }),
  clock,
  publicUrl: () => url, // or the address that clients use
  checkReady: () => storage.check(),
})
const server = await createNodeServer({ handler })
url = server.url

const { key } = await createKey({ keys: storage, account: "acme", now: clock.now() })
const answer = await fetch(`${url}/v1/tasks`, {
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({
    model: "vendor-a/v4.1/flash/text-to-image",
    parameters: { prompt: "first light" },
  }),
})
console.log(answer.status, answer.headers.get("location")) // 202 /v1/tasks/019…

await server.close({ graceMs: 10_000 })
await engine.stop({ graceMs: 10_000 })
