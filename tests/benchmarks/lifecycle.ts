/**
 * `lifecycles_per_s`: submitted, dispatched, accepted, succeeded on SQLite, with a channel that
 * answers at once and 1 KiB kept in memory; `lifecycles_files_per_s`: the same with files on disk,
 * each synced.
 */
import type { ArtifactStorage } from "@safelight/core"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createEngine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { median, ratePerSecond, report } from "./measure.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"

async function measure(
  createArtifacts: (folder: string) => ArtifactStorage,
  total: number,
): Promise<number> {
  await using folder = await createTemporaryFolder()
  const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
  const artifacts = createArtifacts(folder.path)
  const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
  engine.start()
  const live = async (): Promise<void> => {
    const result = await engine.submit(SAMPLE_REQUEST)
    if (result.kind === "rejected") throw new Error(result.rejection.code)
    const task = await engine.finished(result.task.id)
    if (task?.state !== "succeeded.available") throw new Error(`ended as ${task?.state}`)
  }
  await ratePerSecond(total / 4, 128, live)
  const rates: number[] = []
  for (let round = 0; round < 3; round += 1) rates.push(await ratePerSecond(total, 128, live))
  await engine.stop()
  await storage.close()
  return median(rates)
}

const inMemory = await measure(() => createMemoryArtifacts({ keep: 1_000 }), 12_000)
const onDisk = await measure(
  (folder) => createFilesystemArtifacts({ folder: `${folder}/artifacts` }),
  2_000,
)
report({ lifecycles_per_s: inMemory, lifecycles_files_per_s: onDisk })
