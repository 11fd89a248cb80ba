/**
 * `overdue_per_s`: how many tasks past their end a sweep ends a second, on SQLite; `retained_per_s`: how
 * many finished ones it tends a day after their end and after their expiry, over an artifact storage that
 * takes 20 ms a call. `artifact_calls_per_task` is what a finished task costs there in all, and
 * `retained_shared_ratio` how much of the rate of one engine two have together that sweep at once.
 */
import type { ArtifactStorage } from "@safelight/core"
import { createEngine, type Engine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createMemoryArtifacts } from "@safelight/testkit"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ratePerSecond, report } from "./measure.ts"

const TASKS = process.argv.includes("--quick") ? 100 : 1_000
const CALL_MS = 20
const DAY_MS = 86_400_000

await using folder = await createTemporaryFolder()
const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
const memory = createMemoryArtifacts()
let calls = 0

async function callArtifacts<Result>(call: () => Promise<Result>): Promise<Result> {
  calls += 1
  await new Promise((resolve) => setTimeout(resolve, CALL_MS))
  return call()
}

const artifacts: ArtifactStorage = {
  ...memory,
  list: (task) => callArtifacts(() => memory.list(task)),
  remove: (locator) => callArtifacts(() => memory.remove(locator)),
}

function createNode(): Engine {
  return createEngine({ storage, artifacts, channels: [createInstantChannel()] })
}

async function finishTasks(): Promise<number> {
  const engine = createNode()
  engine.start()
  await ratePerSecond(TASKS, 64, async () => {
    const sent = await engine.submit(SAMPLE_REQUEST)
    if (sent.kind === "rejected") throw new Error(sent.rejection.code)
    await engine.finished(sent.task.id)
  })
  await engine.stop()
  return engine.clock.now()
}

/** Tasks a second, by all engines together. */
async function sweepBy(engines: readonly Engine[], now: number, tasks: number): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(engines.map((engine) => engine.sweep(now)))
  return (tasks / (performance.now() - startedAt)) * 1000
}

const node = createNode()
await ratePerSecond(TASKS, 64, () => node.submit(SAMPLE_REQUEST))
const overduePerS = await sweepBy([node], Date.now() + DAY_MS / 2, TASKS)
// They are out of the way of what follows.
await sweepBy([node], Date.now() + 30 * DAY_MS, TASKS)

calls = 0
const finishedAt = await finishTasks()
const dayLater = await sweepBy([node], finishedAt + DAY_MS, TASKS)
const expired = await sweepBy([node], finishedAt + 16 * DAY_MS, TASKS)
const callsPerTask = calls / TASKS

const againAt = await finishTasks()
const shared = await sweepBy([createNode(), createNode()], againAt + DAY_MS, TASKS)

report({
  overdue_per_s: overduePerS,
  retained_per_s: (2 * TASKS) / (TASKS / dayLater + TASKS / expired),
  artifact_calls_per_task: callsPerTask,
  retained_shared_ratio: shared / dayLater,
})
await storage.close()
