/**
 * Every story by its name, with how long it is in a test run and how long in a run at length, and
 * how one is played: a round of its own on a storage of its own, judged and reported.
 */
import type { AccountPlan } from "./accounts.ts"
import { createDatabase, openDatabaseFaults } from "./database-faults.ts"
import {
  failNetwork,
  failServer,
  failTransactions,
  killNodes,
  stopNodes,
  type DatabaseRound,
} from "./postgres-rounds.ts"
import type { NodeOptions } from "./node-orders.ts"
import type { RoundReport } from "./report.ts"
import { createRound, type FinishOptions, type Round } from "./round.ts"
import {
  AHEAD_MS,
  fillDisk,
  killAtEveryPoint,
  killAtEverySweep,
  killAtRandom,
  LATEST_CLOCK_MS,
  setClockAndFailPuts,
  stopPastClaim,
} from "./sqlite-rounds.ts"
import {
  AWAY_SETTINGS,
  BOUND,
  BOUND_ACCOUNTS,
  BOUND_SCRIPT,
  changePrices,
  IMMEDIATE_SCRIPT,
  killAtBound,
  leaveForLong,
  PATIENT,
  REFUSED_SCRIPT,
  refuseConnections,
  SET_BACK_SCRIPT,
  setClocksApart,
  setServerBack,
  SLOW_SCRIPT,
  SLOW_SETTINGS,
  takeLong,
} from "./surroundings-rounds.ts"
import { startProxy } from "./tcp-proxy.ts"
import type { UpstreamScript } from "./upstream-script.ts"
import type { PostgresServer } from "../support/postgres-server.ts"

/** Enough that every kind of channel is busy; several of these stories are played at once. */
export const FEW_CALLERS = 4

interface Patience {
  readonly query_timeout: number
  readonly statement_timeout: number
}

export interface Story<Played extends Round> {
  readonly name: string
  /** What a test of it is called, after "nothing is lost and nothing is bought twice". */
  readonly words: string
  readonly play: (round: Played, size: number) => Promise<void>
  readonly size: { readonly short: number; readonly long: number }
  readonly finish?: FinishOptions
  readonly accounts?: readonly AccountPlan[]
  readonly node?: Partial<NodeOptions>
  readonly script?: UpstreamScript
  /** Whether clocks or sweeps run past the ends of tasks. */
  readonly isTimeAhead?: true
}

/** Those of one node, whatever it stores its tasks in. */
const COMMON_STORIES: readonly Story<Round>[] = [
  {
    name: "points",
    words: "by kill -9 at every named point",
    play: killAtEveryPoint,
    size: { short: 1, long: 2 },
  },
  {
    name: "sweeps",
    words: "by kill -9 in the middle of a sweep",
    play: killAtEverySweep,
    size: { short: 1, long: 3 },
    finish: { sweepsAheadMs: AHEAD_MS },
    isTimeAhead: true,
  },
]

export const SQLITE_STORIES: readonly Story<Round>[] = [
  ...COMMON_STORIES,
  {
    name: "random",
    words: "by kill -9 at random",
    play: killAtRandom,
    size: { short: 4, long: 25 },
  },
  {
    name: "stopped",
    words: "by a process that is stopped past its claim",
    play: stopPastClaim,
    size: { short: 2, long: 5 },
  },
  {
    name: "clock",
    words: "by a wall clock that is set and artifacts that can't be written",
    play: setClockAndFailPuts,
    size: { short: 3, long: 10 },
    finish: { clockOffsetMs: LATEST_CLOCK_MS },
    isTimeAhead: true,
  },
  {
    name: "disk",
    words: "by a disk that is full",
    play: fillDisk,
    size: { short: 2, long: 8 },
  },
]

export const POSTGRES_STORIES: readonly Story<DatabaseRound>[] = [
  ...COMMON_STORIES,
  {
    name: "nodes",
    words: "by nodes that are killed one after another",
    play: killNodes,
    size: { short: 4, long: 30 },
  },
  {
    name: "stopped-nodes",
    words: "by a node that is stopped past its claim and wakes",
    play: stopNodes,
    size: { short: 3, long: 10 },
  },
  {
    name: "network",
    words: "by connections that are cut, half-open or slow, and replies that are lost",
    play: failNetwork,
    size: { short: 1, long: 3 },
  },
  {
    name: "server",
    words: "by a server that stops at once and sessions that end",
    play: failServer,
    size: { short: 2, long: 6 },
  },
  {
    name: "transactions",
    words: "by rows locked, connections taken and transactions that fail",
    play: failTransactions,
    size: { short: 1, long: 4 },
  },
]

/** What surrounds nodes that are well themselves. */
export const SURROUNDING_STORIES: readonly Story<DatabaseRound>[] = [
  {
    name: "bound",
    words: "by nodes that are killed while an account is full",
    play: killAtBound,
    size: { short: 1, long: 6 },
    accounts: BOUND_ACCOUNTS,
    node: BOUND,
    script: BOUND_SCRIPT,
  },
  {
    name: "refused",
    words: "by connections that are refused for whatever reason",
    play: refuseConnections,
    size: { short: 1, long: 3 },
    node: { settings: PATIENT },
    script: REFUSED_SCRIPT,
  },
  {
    name: "clocks",
    words: "by clocks that are an hour ahead and behind",
    play: setClocksApart,
    size: { short: 1, long: 4 },
    node: { settings: PATIENT },
  },
  {
    name: "prices",
    words: "by prices and models that differ from node to node",
    play: changePrices,
    size: { short: 1, long: 4 },
    node: { settings: PATIENT },
    finish: { hasNewPrices: true },
    script: IMMEDIATE_SCRIPT,
  },
  {
    name: "slow",
    words: "by work and outputs that take as long as a task may",
    play: takeLong,
    size: { short: 1, long: 2 },
    node: { settings: SLOW_SETTINGS },
    script: SLOW_SCRIPT,
  },
  {
    name: "away",
    words: "by a provider that is away for long",
    play: leaveForLong,
    size: { short: 1, long: 3 },
    node: { settings: AWAY_SETTINGS },
  },
  {
    name: "set-back",
    words: "by a server that is set back to an older copy, but for what it forgot",
    play: setServerBack,
    size: { short: 1, long: 3 },
    node: { settings: PATIENT },
    script: SET_BACK_SCRIPT,
  },
]

/** A server for the rounds: deadlocks are found soon, and its connections can all be taken. */
export const SERVER_SETTINGS = ["deadlock_timeout=50ms", "max_connections=40"]

/** The same for stories that are played at once, none of which takes all connections. */
export const ROOMY_SERVER_SETTINGS = ["deadlock_timeout=50ms", "max_connections=200"]

/** What `pg` waits for, much shorter than in production: half-open connections are found soon. */
const PATIENCE: Patience = { query_timeout: 3_000, statement_timeout: 2_000 }

/** Where no connection hangs, and a busy machine may take its time. */
const CALM: Patience = { query_timeout: 20_000, statement_timeout: 15_000 }

export interface Length {
  readonly seed: string
  readonly size: "short" | "long"
}

export async function playOnSqlite(
  story: Story<Round>,
  { seed, size }: Length,
): Promise<RoundReport> {
  await using round = await createRound({ ...story, name: `sqlite ${story.name}`, seed })
  await story.play(round, story.size[size])
  return await round.finish(story.finish)
}

export async function playOnPostgres(
  story: Story<DatabaseRound>,
  server: PostgresServer,
  { seed, size }: Length,
): Promise<RoundReport> {
  const isSurrounding = SURROUNDING_STORIES.includes(story)
  const patience = isSurrounding ? CALM : PATIENCE
  const database = `faults_${story.name.replaceAll("-", "_")}`
  const url = await createDatabase(server.url("postgres"), database)
  await using proxy = await startProxy(server)
  const proxied = new URL(url)
  proxied.port = String(proxy.port)
  for (const [name, durationMs] of Object.entries(patience)) {
    proxied.searchParams.set(name, String(durationMs))
  }
  await using round = await createRound({
    ...story,
    ...(isSurrounding && { callers: FEW_CALLERS }),
    name: `postgres ${story.name}`,
    seed,
    storage: { nodes: proxied.href, healthy: url },
  })
  const openFaults = () => openDatabaseFaults(url)
  await story.play({ ...round, server, proxy, openFaults }, story.size[size])
  return await round.finish(story.finish)
}
