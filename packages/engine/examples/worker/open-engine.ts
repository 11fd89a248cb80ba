/**
 * The engine as all processes of one application open it: on one PostgreSQL database and one folder that all of them
 * reach. What they share must be equal, the channels' names included. Which of them works is decided by `start`.
 */
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createStudioChannel } from "@safelight/channel-studio"
import { createEngine, type Engine } from "@safelight/engine"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createMediaInspector } from "@safelight/media-inspector"
import { createPostgresStorage } from "@safelight/storage-postgres"

export interface OpenEngine {
  readonly engine: Engine
  /** Lets the work under way finish for a while; another worker takes over the rest. */
  close(): Promise<void>
}

const STOP_GRACE_MS = 10_000

export async function openEngine(): Promise<OpenEngine> {
  const storage = await createPostgresStorage({ url: process.env["DATABASE_URL"] ?? "" })
  const folder = process.env["ARTIFACTS"] ?? "artifacts"
  const artifacts = createFilesystemArtifacts({ folder })
  const media = createGuardedFetch()
  const inspector = createMediaInspector()
  const studio = createStudioChannel({ media, inspector })
  const engine = createEngine({ storage, artifacts, channels: [studio], media, inspector })
  return {
    engine,
    async close() {
      await engine.stop({ graceMs: STOP_GRACE_MS })
      await studio.close?.()
      await inspector.close()
      await storage.close()
    },
  }
}
