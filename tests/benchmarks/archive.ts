/**
 * `stored_bytes_a_task` and `archived_bytes_a_task`: what the SQLite database has of a finished task before and after it
 * was archived, old parts of the tree with it, on its own pages; `row_bytes_a_task` of that is the task's row itself.
 * `segment_bytes_a_task` and `bundle_bytes_a_task`: what files have of it. `archived_tasks_per_s` and
 * `archived_leaves_per_s`: what is moved. `stored_get_ms` and `stored_proof_ms`: the time of a read, and of the proof, of
 * a task in the database; `archived_get_ms` and `archived_proof_ms`: of an archived one, a part of whose segment nobody
 * read before.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { archiveTasks, archiveTree, createArchiveReader } from "@safelight/audit"
import { BUNDLE_LEAVES, fold, openEvent, project, type Append, type Storage } from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { advanceSample } from "@safelight/testkit"
import { hashTile, readSignedLeaves, signStorage } from "../support/signed-storage.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { median, report } from "./measure.ts"
import { createTask } from "./sample-source.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
/** Of six events: two bundles of the tree, and a few leaves more. */
const TASKS = values.quick ? 400 : 22_000
const READS = values.quick ? 20 : 100
const NOW = 10_000_000

/** All of its events, and that its artifacts expired. */
function toAppend(position: number): Append {
  const { events: lived, id: task } = createTask(position, 10_000 + position).stream
  const before = lived.map(openEvent)
  const head = { task: fold(task, before), hash: lived.at(-1)?.hash ?? "" }
  const expired = advanceSample(head, [{ kind: "expire" }], { now: 10_000 + position })
  const events = [...lived, ...expired.append.events]
  const changes = project(expired.head.task, expired.head.hash, events.map(openEvent))
  const queue = { kind: "finish", retainAt: null } as const
  return { task, expectedVersion: 0, events, changes, queue }
}

interface Stored {
  readonly all: number
  readonly rows: number
}

function measureStored(folder: string): Stored {
  const database = new DatabaseSync(join(folder, "safelight.db"))
  try {
    database.exec("pragma wal_checkpoint(truncate); vacuum")
    const sum = database
      .prepare("select sum(payload) as bytes from dbstat where name = 'tasks'")
      .get()
    const all = database.prepare("select sum(pgsize) as bytes from dbstat").get()
    return { all: Number(all?.["bytes"]) / TASKS, rows: Number(sum?.["bytes"]) / TASKS }
  } finally {
    database.close()
  }
}

interface ReadTimes {
  readonly getMs: number
  readonly proofMs: number
}

/** The median times, ms; tasks far apart, each read once. */
async function measureReads(storage: Storage): Promise<ReadTimes> {
  const [gets, proofs]: number[][] = [[], []]
  const prove = await readSignedLeaves(storage)
  for (let step = 0; step < READS; step += 1) {
    const position = Math.floor((step * TASKS) / READS)
    const id = `00000000-0000-7000-8000-${String(position).padStart(12, "0")}`
    const startedAt = performance.now()
    if ((await storage.readTask(id)) === undefined) throw new Error(`task ${id} is gone`)
    const readAt = performance.now()
    if ((await prove(id)).length !== 6) throw new Error(`task ${id} is not proved`)
    gets?.push(readAt - startedAt)
    proofs?.push(performance.now() - readAt)
  }
  return { getMs: median(gets ?? []), proofMs: median(proofs ?? []) }
}

await using folder = await createTemporaryFolder()
await mkdir(join(folder.path, "artifacts"))
const artifacts = createFilesystemArtifacts({ folder: join(folder.path, "artifacts") })

async function open(): Promise<Storage> {
  const opened = await createSqliteStorage({ folder: folder.path })
  opened.useArchive(createArchiveReader({ artifacts, digest, hashTile }))
  return opened
}

let storage = await open()
for (let start = 0; start < TASKS; start += 200) {
  const appends = Array.from({ length: 200 }, (_, step) => storage.append(toAppend(start + step)))
  await Promise.all(appends)
}
const checkpoint = await signStorage(storage)
await storage.close()
const before = measureStored(folder.path)
storage = await open()
const live = await measureReads(storage)
const startedAt = performance.now()
const moved = await archiveTasks({
  storage,
  artifacts,
  digest,
  now: NOW,
  finishedBefore: NOW,
  checkpoint,
  readLeaves: await readSignedLeaves(storage),
})
const seconds = (performance.now() - startedAt) / 1_000
if (moved.tasks !== TASKS) throw new Error(`${moved.tasks} of ${TASKS} tasks were archived`)
const treeAt = performance.now()
const tree = await archiveTree({ storage, artifacts, hashTile, now: NOW, before: NOW })
const treeSeconds = (performance.now() - treeAt) / 1_000
await storage.close()
const after = measureStored(folder.path)
storage = await open()
const archived = await measureReads(storage)
await storage.close()

report({
  stored_bytes_a_task: before.all,
  archived_bytes_a_task: after.all,
  row_bytes_a_task: after.rows,
  segment_bytes_a_task: moved.bytes / TASKS,
  bundle_bytes_a_task: tree.bytes / TASKS,
  archived_tasks_per_s: TASKS / seconds,
  archived_leaves_per_s: (tree.bundles * BUNDLE_LEAVES) / treeSeconds,
  stored_get_ms: live.getMs,
  archived_get_ms: archived.getMs,
  stored_proof_ms: live.proofMs,
  archived_proof_ms: archived.proofMs,
})
