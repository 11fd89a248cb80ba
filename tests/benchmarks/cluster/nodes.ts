/**
 * What many nodes over one PostgreSQL database cost it, by its processor time and its transactions. First whole services
 * that have nothing to do: one, ten and a hundred, without accounts and with 10,000 that have limits. Then engines that
 * have 100 tasks a second between them, of those accounts, on a channel that answers at once: what a task costs beyond
 * what idle engines do, and how long it takes. All nodes are in one process, so that their own time is the sum.
 */
import { setTimeout } from "node:timers/promises"
import { createEngine, type Engine } from "@safelight/engine"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createService, loadConfiguration, type Service } from "safelight"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { startPostgres } from "../../support/postgres-server.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { percentile, report } from "../measure.ts"
import { createDatabase, SERVER_URL, type Database } from "../postgres/database.ts"
import { readServerCpuMs } from "./server-cpu.ts"

const isQuick = process.argv.includes("--quick")
const COUNTS = isQuick ? [1, 3] : [1, 10, 100]
const ACCOUNTS = isQuick ? 50 : 10_000
const TASKS_PER_S = isQuick ? 20 : 100
const MEASURED_MS = isQuick ? 2_000 : 10_000
/** Every node has seen every other, and first runs are over. */
const SETTLING_MS = isQuick ? 2_000 : 8_000

interface Cost {
  readonly databaseMs: number
  readonly transactions: number
  readonly nodesMs: number
}

/** What passes while `work` does, over so many seconds. */
async function measureCost(database: Database, work: () => Promise<void>): Promise<Cost> {
  const before = await readCost(database)
  await work()
  const after = await readCost(database)
  return {
    databaseMs: after.databaseMs - before.databaseMs,
    transactions: after.transactions - before.transactions,
    nodesMs: after.nodesMs - before.nodesMs,
  }
}

async function readCost(database: Database): Promise<Cost> {
  const row = await database.query(
    "select pg_backend_pid() as pid, xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
  )
  const { system, user } = process.cpuUsage()
  return {
    databaseMs: await readServerCpuMs(Number(row["pid"])),
    transactions: Number(row["count"]),
    nodesMs: (system + user) / 1_000,
  }
}

function perSecond(cost: Cost): Cost {
  const seconds = MEASURED_MS / 1_000
  return {
    databaseMs: cost.databaseMs / seconds,
    transactions: cost.transactions / seconds,
    nodesMs: cost.nodesMs / seconds,
  }
}

async function addAccounts(url: string): Promise<void> {
  const storage = await createPostgresStorage({ url })
  const now = Date.now()
  const settings = { runningTasks: 5, unfinishedTasks: 100 }
  for (let done = 0; done < ACCOUNTS; done += 50) {
    const ids = Array.from({ length: 50 }, (_, place) => toAccount(done + place))
    await Promise.all(ids.map((id) => storage.setAccount({ id, now, settings })))
  }
  await storage.close()
}

function toAccount(index: number): string {
  return `account-${index % ACCOUNTS}`
}

async function measureIdle(count: number, hasAccounts: boolean): Promise<Cost> {
  await using database = await createDatabase(`nodes_${count}`)
  await using folder = await createTemporaryFolder()
  const flags = { data: folder.path, database: database.url, port: "0" }
  const configuration = await loadConfiguration({ flags, environment: {}, folder: folder.path })
  const services: Service[] = []
  for (let made = 0; made < count; made += 1) services.push(await createService({ configuration }))
  try {
    if (hasAccounts) await addAccounts(database.url)
    await setTimeout(SETTLING_MS)
    return perSecond(await measureCost(database, () => setTimeout(MEASURED_MS)))
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

interface Load {
  readonly idle: Cost
  readonly loaded: Cost
  readonly p99Ms: number
}

async function measureLoad(count: number): Promise<Load> {
  await using database = await createDatabase(`load_${count}`)
  await using nodes = new AsyncDisposableStack()
  await addAccounts(database.url)
  const engines: Engine[] = []
  for (let made = 0; made < count; made += 1) {
    const storage = await createPostgresStorage({ url: database.url })
    nodes.defer(() => storage.close())
    const artifacts = createMemoryArtifacts({ keep: 100 })
    const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })
    nodes.defer(() => engine.stop())
    engine.start()
    engines.push(engine)
  }
  await setTimeout(SETTLING_MS)
  const idle = perSecond(await measureCost(database, () => setTimeout(MEASURED_MS)))
  const times: number[] = []
  const loaded = perSecond(
    await measureCost(database, async () => {
      const lives: Promise<void>[] = []
      const total = (TASKS_PER_S * MEASURED_MS) / 1_000
      const startedAt = performance.now()
      for (let made = 0; made < total; made += 1) {
        const waitMs = startedAt + (made * 1_000) / TASKS_PER_S - performance.now()
        if (waitMs > 0) await setTimeout(waitMs)
        const engine = engines[made % count]
        if (engine !== undefined) lives.push(live(engine, toAccount(made * 7), times))
      }
      await Promise.all(lives)
    }),
  )
  return { idle, loaded, p99Ms: percentile(times, 0.99) }
}

async function live(engine: Engine, account: string, times: number[]): Promise<void> {
  const result = await engine.submit({ ...SAMPLE_REQUEST, account })
  if (result.kind === "rejected") throw new Error(result.rejection.code)
  const task = await engine.finished(result.task.id)
  if (task?.state !== "succeeded.available") throw new Error(`ended as ${task?.state}`)
  // By its events: a process polls for the end of a task that another one makes.
  times.push((task.finishedAt ?? Infinity) - task.createdAt)
}

await using server = await startPostgres({ settings: ["max_connections=1500"] })
process.env[SERVER_URL] = server.url("postgres")
const figures: Record<string, number> = {}
for (const count of COUNTS) {
  const empty = await measureIdle(count, false)
  const full = await measureIdle(count, true)
  const { idle, loaded, p99Ms } = await measureLoad(count)
  Object.assign(figures, {
    [`idle_transactions_per_s_${count}`]: empty.transactions,
    [`idle_database_ms_per_s_${count}`]: empty.databaseMs,
    [`idle_nodes_ms_per_s_${count}`]: empty.nodesMs,
    [`idle_accounts_database_ms_per_s_${count}`]: full.databaseMs,
    [`idle_accounts_nodes_ms_per_s_${count}`]: full.nodesMs,
    [`task_transactions_${count}`]: (loaded.transactions - idle.transactions) / TASKS_PER_S,
    [`task_database_ms_${count}`]: (loaded.databaseMs - idle.databaseMs) / TASKS_PER_S,
    [`task_nodes_ms_${count}`]: (loaded.nodesMs - idle.nodesMs) / TASKS_PER_S,
    [`task_p99_ms_${count}`]: p99Ms,
  })
}
report(figures)
