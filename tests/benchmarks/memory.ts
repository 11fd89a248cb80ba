/** `rss_mb_10k`, `rss_mb_100k`: resident memory after so many whole life cycles in one process. */
import { createEngine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ratePerSecond, report } from "./measure.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"

await using folder = await createTemporaryFolder()
const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
const artifacts = createMemoryArtifacts({ keep: 100 })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
engine.start()

async function live(): Promise<void> {
  const result = await engine.submit(SAMPLE_REQUEST)
  if (result.kind === "rejected") throw new Error(result.rejection.code)
  await engine.finished(result.task.id)
}

const MEBIBYTE = 1024 * 1024
await ratePerSecond(10_000, 128, live)
const after10k = process.memoryUsage.rss() / MEBIBYTE
await ratePerSecond(90_000, 128, live)
const after100k = process.memoryUsage.rss() / MEBIBYTE
report({ rss_mb_10k: after10k, rss_mb_100k: after100k })
await engine.stop()
await storage.close()
