/**
 * What a life cycle costs on SQLite, by table and index: `cost_pages_…` are the pages that its commits write to the
 * log, `cost_stored_…` the bytes of pages that stay. `log_bytes_per_task` and `stored_bytes_per_task` are their sums.
 * Pages are shared by the tasks of a commit: with fewer callers than the 128 here a task writes more of them. A table
 * without a row number is its own primary key, and an index that SQLite makes by itself is the primary key of another.
 */
import { readFileSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { createEngine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { ratePerSecond, report } from "./measure.ts"

const CALLERS = 128
const TASKS = process.argv.includes("--quick") ? 1_000 : 10_000

/** Bytes ahead of each page in the log, where the page's number comes first (SQLite's file format, section 4.1). */
const FRAME_HEADER = 24

type Amounts = ReadonlyMap<string, number>

function readSizes(database: DatabaseSync): Amounts {
  const rows = database.prepare("select name, sum(pgsize) as bytes from dbstat group by name").all()
  return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]))
}

/** How often each table's and index's pages stand in the log from `start` on, and the log's bytes. */
function readLog(database: DatabaseSync, file: string, start: number): readonly [Amounts, number] {
  const { page_size: pageSize } = database.prepare("pragma page_size").get() ?? {}
  const rows = database.prepare("select name, pageno from dbstat").all()
  const names = new Map(rows.map(({ name, pageno }) => [Number(pageno), String(name)]))
  const log = readFileSync(file).subarray(start)
  const pages = new Map<string, number>()
  for (let at = 0; at < log.length; at += FRAME_HEADER + Number(pageSize)) {
    const name = names.get(log.readUInt32BE(at)) ?? "others"
    pages.set(name, (pages.get(name) ?? 0) + 1)
  }
  return [pages, log.length]
}

/** The largest first; without those below `least`. */
function toFigures(kind: string, amounts: Amounts, least: number): Record<string, number> {
  const perTask = [...amounts].map(([name, amount]) => [`${kind}_${name}`, amount / TASKS] as const)
  return Object.fromEntries(
    perTask.filter(([, amount]) => amount >= least).toSorted(([, a], [, b]) => b - a),
  )
}

await using folder = await createTemporaryFolder()
const storage = await createSqliteStorage({ folder: folder.path, mode: "serve" })
const artifacts = createMemoryArtifacts({ keep: 1_000 })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
engine.start()

async function live(): Promise<void> {
  const result = await engine.submit(SAMPLE_REQUEST)
  if (result.kind === "rejected") throw new Error(result.rejection.code)
  const task = await engine.finished(result.task.id)
  if (task?.state !== "succeeded.available") throw new Error(`ended as ${task?.state}`)
}

const file = `${folder.path}/safelight.db`
const reader = new DatabaseSync(file, { readOnly: true })
const keeper = new DatabaseSync(file, { readOnly: true })
// As long as it reads, the log does not begin anew, and all of it is there at the end.
keeper.exec("begin")
keeper.prepare("select 1 from tasks limit 1").get()
await ratePerSecond(TASKS / 4, CALLERS, live)
const before = readSizes(reader)
const start = statSync(`${file}-wal`).size
await ratePerSecond(TASKS, CALLERS, live)
const after = readSizes(reader)
const [pages, bytes] = readLog(reader, `${file}-wal`, start)
const grown = [...after].map(([name, size]) => [name, size - (before.get(name) ?? 0)] as const)
report({
  log_bytes_per_task: bytes / TASKS,
  stored_bytes_per_task: grown.reduce((sum, [, size]) => sum + size, 0) / TASKS,
  ...toFigures("cost_pages", pages, 0.01),
  ...toFigures("cost_stored", new Map(grown), 1),
})
keeper.close()
reader.close()
await engine.stop()
await storage.close()
