/** `submit_per_s`: `engine.submit` on SQLite, durable on return, 64 callers at once. */
import { createEngine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createMemoryArtifacts } from "../support/memory-artifacts.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { median, ratePerSecond, report } from "./measure.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"

await using folder = await createTemporaryFolder()
const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
const channels = [createInstantChannel()]
// Never started: what is measured is acceptance alone.
const engine = createEngine({ storage, artifacts: createMemoryArtifacts(), channels })
const submit = (): Promise<unknown> => engine.submit(SAMPLE_REQUEST)

await ratePerSecond(10_000, 64, submit)
const rates: number[] = []
for (let round = 0; round < 5; round += 1) rates.push(await ratePerSecond(20_000, 64, submit))
report({ submit_per_s: median(rates) })
await engine.stop()
await storage.close()
