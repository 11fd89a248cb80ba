/**
 * What many nodes ask of their database, on a model of it and in virtual time: 1, 10 and 100 engines with webhooks,
 * streams and callers that wait, with no accounts and with 10,000 that have limits, idle and at 1,000 tasks a second.
 * Statements are counted, and the same seed gives the same counts. What a kind of statement costs is measured on a
 * real server, each kind by itself: so a server's time for a second is a sum, without what statements cost each
 * other. Standard error shows every kind. `--nodes`, `--accounts`, `--rate` and `--seconds` run one size.
 */
import { parseArgs } from "node:util"
import { startPostgres } from "../../support/postgres-server.ts"
import { percentile, report } from "../measure.ts"
import { SERVER_URL } from "../postgres/database.ts"
import { measureCosts, toCostMs, type Costs } from "./simulated/statement-costs.ts"
import { createVirtualTime } from "./simulated/virtual-time.ts"
import { createWorld } from "./simulated/node-world.ts"
import type { Counts } from "./simulated/database-model.ts"

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    nodes: { type: "string" },
    accounts: { type: "string" },
    rate: { type: "string" },
    seconds: { type: "string" },
  },
})

const isQuick = values.quick
const toList = (given: string | undefined, otherwise: readonly number[]): readonly number[] =>
  given?.split(",").map(Number) ?? otherwise
const NODES = toList(values.nodes, isQuick ? [1, 3] : [1, 10, 100])
const ACCOUNTS = toList(values.accounts, isQuick ? [0, 50] : [0, 10_000])
const RATE = Number(values.rate ?? (isQuick ? 20 : 1_000))
const SECONDS = Number(values.seconds ?? (isQuick ? 2 : 5))
/** A whole minute, so that each node sweeps once. */
const IDLE_S = 60
/** Longer than a task takes. */
const WARM_S = 7
const STREAMS = isQuick ? 5 : 100
const SEED = 1

interface Sum {
  readonly statements: number
  readonly rows: number
  readonly vain: number
  readonly databaseMs: number
}

/** Of one second, or of one task. */
function sum(counts: Counts, by: number, costs: Costs): Sum {
  const all = [...counts.values()]
  const add = (toNumber: (count: (typeof all)[number]) => number): number =>
    all.reduce((total, count) => total + toNumber(count), 0) / by
  return {
    statements: add(({ calls }) => calls),
    rows: add(({ rows }) => rows),
    vain: add(({ vain }) => vain),
    databaseMs: toCostMs(counts, costs) / by,
  }
}

function show(title: string, counts: Counts, by: number): void {
  process.stderr.write(`${title.padEnd(44)}  statements        rows     in vain\n`)
  const sorted = [...counts].toSorted(([, one], [, other]) => other.calls - one.calls)
  for (const [kind, { calls, rows, vain }] of sorted) {
    const cells = [calls, rows, vain].map((count) => (count / by).toFixed(3).padStart(12))
    process.stderr.write(`${kind.padEnd(42)}${cells.join("")}\n`)
  }
}

async function simulate(
  nodes: number,
  accounts: number,
  costs: Costs,
): Promise<Record<string, number>> {
  const world = await createWorld(createVirtualTime(), {
    nodes,
    accounts,
    streams: STREAMS,
    seed: SEED,
  })
  const name = `${nodes}_nodes_${accounts}_accounts`
  await world.run(IDLE_S, 0)
  const idleCounts = world.takeCounts()
  show(`idle ${name}, for each node and second`, idleCounts, IDLE_S * nodes)
  const idle = sum(idleCounts, IDLE_S, costs)
  await world.run(WARM_S, RATE)
  world.takeCounts()
  const times = await world.run(SECONDS, RATE)
  const loadedCounts = world.takeCounts()
  show(`loaded ${name}, for each task`, loadedCounts, SECONDS * RATE)
  const loaded = sum(loadedCounts, SECONDS, costs)
  return {
    [`simulated_idle_statements_per_node_s_${name}`]: idle.statements / nodes,
    [`simulated_idle_rows_per_node_s_${name}`]: idle.rows / nodes,
    [`simulated_idle_database_ms_per_s_${name}`]: idle.databaseMs,
    [`simulated_statements_per_task_${name}`]: loaded.statements / RATE,
    [`simulated_vain_per_task_${name}`]: loaded.vain / RATE,
    [`simulated_database_ms_per_s_${name}`]: loaded.databaseMs,
    [`simulated_wait_p50_ms_${name}`]: percentile(times, 0.5),
    [`simulated_wait_p99_ms_${name}`]: percentile(times, 0.99),
  }
}

await using server = await startPostgres({ settings: ["max_connections=500"] })
process.env[SERVER_URL] = server.url("postgres")
const costs = await measureCosts({
  nodes: Math.max(...NODES),
  accounts: Math.max(...ACCOUNTS),
  times: isQuick ? 50 : 2_000,
})
for (const [kind, ms] of Object.entries(costs))
  process.stderr.write(`${kind}: ${ms.toFixed(3)} ms\n`)
const figures: Record<string, number> = {}
for (const accounts of ACCOUNTS) {
  for (const nodes of NODES) Object.assign(figures, await simulate(nodes, accounts, costs))
}
report(figures)
// The nodes of the simulation work on, in a time that stands still.
process.exit(0)
