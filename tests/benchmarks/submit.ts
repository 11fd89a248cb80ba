/**
 * `submit_per_s`: `engine.submit` on SQLite, durable on return, 64 callers at once; beside it, in
 * turns, the raw limit: the same rows' bytes put into four plain tables, 64 rows of each a synced
 * commit, on one thread that does nothing else. `submit_raw_ratio` is the one over the other.
 */
import { DatabaseSync } from "node:sqlite"
import { createEngine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../support/instant-channel.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { median, ratePerSecond, report } from "./measure.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"

await using folder = await createTemporaryFolder()
const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
const channels = [createInstantChannel()]
// Never started: what is measured is acceptance alone. Nothing is refused for want of a worker before that lease's time.
const settings = { leaseMs: 3_600_000 }
const engine = createEngine({ storage, artifacts: createMemoryArtifacts(), channels, settings })
const submit = (): Promise<unknown> => engine.submit(SAMPLE_REQUEST)

const raw = new DatabaseSync(`${folder.path}/raw.db`)
raw.exec("pragma journal_mode = wal; pragma synchronous = full")
/** Bytes of an event, a task's row, its place in the queue and its input. */
const inserts = [400, 900, 150, 350].map((bytes, table) => {
  raw.exec(`create table raw_${table} (id integer primary key, data text)`)
  const insert = raw.prepare(`insert into raw_${table} (data) values (?)`)
  const data = "x".repeat(bytes)
  return () => insert.run(data)
})

function rawRatePerSecond(total: number): number {
  const startedAt = performance.now()
  for (let done = 0; done < total; done += 64) {
    raw.exec("begin immediate")
    for (let row = 0; row < 64; row += 1) for (const insert of inserts) insert()
    raw.exec("commit")
  }
  return (total / (performance.now() - startedAt)) * 1000
}

await ratePerSecond(10_000, 64, submit)
rawRatePerSecond(6_400)
const rounds: { readonly own: number; readonly limit: number }[] = []
for (let round = 0; round < 5; round += 1) {
  const own = await ratePerSecond(20_000, 64, submit)
  rounds.push({ own, limit: rawRatePerSecond(19_200) })
}
raw.close()
report({
  submit_per_s: median(rounds.map(({ own }) => own)),
  submit_raw_per_s: median(rounds.map(({ limit }) => limit)),
  submit_raw_ratio: median(rounds.map(({ own, limit }) => own / limit)),
})
await engine.stop()
await storage.close()
