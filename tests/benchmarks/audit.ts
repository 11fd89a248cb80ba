/**
 * `verify_events_per_s`, `replay_events_per_s`, and `export_`, `check_` and `import_tasks_per_s`: what an
 * audit and a transfer cost by themselves, over a storage that answers at once and keeps nothing that is
 * written. Every task has five events and one input. `sqlite_…` is the same over a file, where a thread reads.
 */
import { parseArgs } from "node:util"
import { checkExport, createAudit, exportStreams, importStreams } from "@safelight/audit"
import { DEFAULT_PRICES, MODELS, type Storage } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryStorage } from "@safelight/testkit"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { median, report } from "./measure.ts"
import { createSource, createTask, EVENTS, NOW } from "./sample-source.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const TASKS = values.quick ? 100 : 5_000
const ROUNDS = values.quick ? 1 : 7

const tasks = Array.from({ length: TASKS }, (_, position) => createTask(position))
const source = createSource(TASKS, (position) => tasks[position] ?? createTask(position))

/** Empty before every import, and after it. */
function createSink(): Storage {
  return { ...createMemoryStorage(), append: async () => {}, restoreIdempotency: async () => true }
}

const rules = { digest: sha256, prices: DEFAULT_PRICES, models: MODELS }
const audit = createAudit({ ...rules, storage: source })
const exporting = { storage: source, digest: sha256, now: NOW, isSealed: true }
const file = Buffer.from(await exportText())

async function exportText(): Promise<string> {
  let text = ""
  for await (const line of exportStreams(exporting)) text += line
  return text
}

/** In pieces of one buffer, as a file is read. */
async function* open(): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafe(64 * 1024)
  for (let start = 0; start < file.length; start += piece.length) {
    yield piece.subarray(0, file.copy(piece, 0, start))
  }
}

async function measure(count: number, work: () => Promise<unknown>): Promise<number> {
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now()
    await work()
    rates.push((count / (performance.now() - startedAt)) * 1_000)
  }
  return median(rates)
}

for (const { outcome } of [await audit.verify(), await audit.replay()]) {
  if (outcome !== "whole") throw new Error(`the sample log is not whole: ${outcome}`)
}
const reading = { open, digest: sha256, now: NOW }
await using folder = await createTemporaryFolder()
const storage = await createSqliteStorage({ folder: folder.path })
await importStreams({ ...reading, storage })
const stored = createAudit({ ...rules, storage })
report({
  verify_events_per_s: await measure(TASKS * EVENTS, () => audit.verify()),
  replay_events_per_s: await measure(TASKS * EVENTS, () => audit.replay()),
  sqlite_verify_events_per_s: await measure(TASKS * EVENTS, () => stored.verify()),
  sqlite_replay_events_per_s: await measure(TASKS * EVENTS, () => stored.replay()),
  export_tasks_per_s: await measure(TASKS, exportText),
  check_tasks_per_s: await measure(TASKS, () => checkExport(reading)),
  import_tasks_per_s: await measure(TASKS, () =>
    importStreams({ ...reading, storage: createSink() }),
  ),
})
await storage.close()
