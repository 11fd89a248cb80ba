/**
 * What each example mounts: an engine on SQLite with the studio, the task API over it as a fetch handler, and
 * an API key. In an application of yours the key would be made once, by your own sign-up or command, and never
 * at a start; here every start makes one, so that there is something to try.
 */
import { createAccess, createKey } from "@safelight/access"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createStudioChannel } from "@safelight/channel-studio"
import { createEngine } from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createHttpHandler, type HttpHandler } from "@safelight/http"
import { createMediaInspector } from "@safelight/media-inspector"
import { createSqliteStorage } from "@safelight/storage-sqlite"

const SWEEP_EVERY_MS = 60_000
const STOP_GRACE_MS = 10_000

export interface Media {
  readonly handler: HttpHandler
  readonly key: string
  /** Call it after the server has closed: it lets the work under way finish, then closes the database. */
  close(): Promise<void>
}

/** `publicUrl` is the address that clients use, with the prefix that the handler is mounted below. */
export async function openMedia(options: {
  readonly folder: string
  readonly publicUrl: () => string
}): Promise<Media> {
  const { folder, publicUrl } = options
  const storage = await createSqliteStorage({ folder })
  const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
  const inspector = createMediaInspector()
  const media = createGuardedFetch()
  const studio = createStudioChannel({ media, inspector })
  const engine = createEngine({ storage, artifacts, channels: [studio], media, inspector })
  engine.start()
  const sweeps = setInterval(() => void engine.sweep().catch(console.error), SWEEP_EVERY_MS)

  const { clock } = engine
  const access = createAccess({ storage, service: engine, clock })
  const checkReady = () => storage.check()
  const services = { service: engine, changes: engine, callbacks: engine, inputs: engine }
  const handler = createHttpHandler({ ...services, access, clock, publicUrl, checkReady })
  const { key } = await createKey({ keys: storage, account: "me", now: clock.now() })
  return {
    handler,
    key,
    async close() {
      clearInterval(sweeps)
      await engine.stop({ graceMs: STOP_GRACE_MS })
      await studio.close?.()
      await inspector.close()
      await storage.close()
    },
  }
}
