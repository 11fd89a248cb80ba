/**
 * `take_1m_ratio`: how long taking ten takes where 1,000,000 tasks wait, over one where 1,000
 * do, alternately. `take_1m_held_ratio`: the same while another connection's transaction keeps vacuum
 * from removing anything, after and during thousands of takings. The tasks that wait were submitted by
 * an engine. Of ten, nine are finished, one is given back for a second, and nine more are submitted, so
 * the front of the queue moves and its length stays.
 */
import { decide, project, sealEvents, type Storage, type Taken } from "@safelight/core"
import { createSampleSealer } from "@safelight/testkit"
import { Client } from "pg"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { median, percentile, ratePerSecond } from "../measure.ts"
import { createDatabase, type Database } from "./database.ts"
import { note, reportFigures } from "./figures.ts"
import { openOwn, type Own } from "./own.ts"
import { toScale } from "./scale.ts"

const LEASE = "benchmark"
const LIMIT = 10
const FEW = 1_000
/** What is given back waits as for another attempt: one and the same task is not taken each time. */
const BACK_MS = 1_000

/** Has `count` tasks wait, as autovacuum would leave their tables once it has come by. */
async function fill(own: Own, database: Database, count: number): Promise<void> {
  // As many callers as make a full batch of the group commit.
  await ratePerSecond(count, 512, own.submit)
  await database.query("vacuum analyze")
}

/** Ends a task that has not begun, as its time-out would. */
async function finish(storage: Storage, { task, hash }: Taken): Promise<void> {
  const decision = decide(task, { kind: "time-out" }, task.endBy)
  if (decision.kind === "rejected") throw new Error(decision.rejection.code)
  const head = { task: task.id, version: task.version, hash }
  const events = sealEvents(createSampleSealer(hash), head, [decision.event])
  await storage.append({
    task: task.id,
    expectedVersion: task.version,
    expectedHash: hash,
    events,
    changes: project(decision.task, events.at(-1)?.hash ?? hash, [decision.event]),
    queue: { kind: "finish", retainAt: null },
  })
}

/** Resolves to how long the taking took, in milliseconds; what comes after it is not counted. */
async function takeOnce({ storage, submit }: Own): Promise<number> {
  const now = Date.now()
  const startedAt = performance.now()
  const taken = await storage.take({
    lease: LEASE,
    models: [SAMPLE_REQUEST.model],
    now,
    limit: LIMIT,
  })
  const tookMs = performance.now() - startedAt
  const [back, ...rest] = taken
  if (back === undefined || taken.length < LIMIT) throw new Error("the queue ran dry")
  await Promise.all([
    storage.release({ lease: LEASE, tasks: [back.task.id], dueAt: now + BACK_MS }),
    ...rest.map((each) => finish(storage, each)),
    ...rest.map(() => submit()),
  ])
  return tookMs
}

async function timeAlternately(
  few: Own,
  many: Own,
  count: number,
): Promise<{ readonly few: readonly number[]; readonly many: readonly number[] }> {
  const times = { few: [] as number[], many: [] as number[] }
  for (let round = 0; round < count; round += 1) {
    times.few.push(await takeOnce(few))
    times.many.push(await takeOnce(many))
  }
  return times
}

const scale = toScale(process.argv)
await using fewDatabase = await createDatabase("few")
await using manyDatabase = await createDatabase("many")
await using few = await openOwn(fewDatabase.url)
await using many = await openOwn(manyDatabase.url)
note(`${scale.waitingTasks} tasks are submitted, to wait…`)
await fill(few, fewDatabase, FEW)
await fill(many, manyDatabase, scale.waitingTasks)
await fewDatabase.query("checkpoint")

await timeAlternately(few, many, scale.timedTakings / 4)
const free = await timeAlternately(few, many, scale.timedTakings)

const holder = new Client({ connectionString: manyDatabase.url })
await holder.connect()
await holder.query("begin isolation level repeatable read")
// The snapshot is taken by the first statement, and holds until the end.
await holder.query("select 1")
for (let churned = 0; churned < scale.churnedTakings; churned += 1) await takeOnce(many)
const held = await timeAlternately(few, many, scale.timedTakings)
await holder.query("commit")
await holder.end()

reportFigures({
  take_1k_p50_ms: median(free.few),
  take_1m_p50_ms: median(free.many),
  take_1m_p99_ms: percentile(free.many, 0.99),
  take_1m_held_p50_ms: median(held.many),
  take_1m_held_p99_ms: percentile(held.many, 0.99),
  take_1m_ratio: median(free.many) / median(free.few),
  // Both beside a queue that vacuum may clean: the short one's database holds nothing back.
  take_1m_held_ratio: median(held.many) / median(held.few),
})
