/**
 * Faults at length: `npm run test:faults -- [--seed N] [--minutes M] [--storage
 * sqlite|postgres|cluster] [--story NAME]`. A cluster needs Debian's Patroni, so it has to be asked for.
 * `--upgrade-from COMMIT[,COMMIT]` plays upgrades in place of these: from one older release to the next, and to this one.
 * Stories are played one after another, each with a seed of its own made from the given one, until
 * the time is up; each prints its report, the last lines add up. Fails where a promise was broken.
 */
import { parseArgs } from "node:util"
import { startPatroniCluster } from "../support/patroni-cluster.ts"
import { startPostgres } from "../support/postgres-server.ts"
import { CLUSTER_SETTINGS, CLUSTER_STORIES, playOnCluster } from "./cluster-stories.ts"
import { formatReport, formatTotals, type RoundReport } from "./report.ts"
import { openRelease, THIS_RELEASE, type Release } from "./releases.ts"
import {
  playOnPostgres,
  playOnSqlite,
  POSTGRES_STORIES,
  ROOMY_SERVER_SETTINGS,
  SERVER_SETTINGS,
  SQLITE_STORIES,
  SURROUNDING_STORIES,
} from "./rounds.ts"
import { playUpgrade } from "./upgrade-stories.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
    minutes: { type: "string", default: "10" },
    storage: { type: "string" },
    story: { type: "string" },
    "upgrade-from": { type: "string" },
  },
})
const { seed, story: only, "upgrade-from": older } = values
const storage = older === undefined ? values.storage : "upgrade"
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new RangeError("--minutes is a positive number")
const isKnown = ["sqlite", "postgres", "cluster", undefined].includes(values.storage)
if (!isKnown) {
  throw new RangeError("--storage is sqlite, postgres or cluster; the first two without it")
}

const isWanted = ({ name }: { readonly name: string }): boolean =>
  only === undefined || name === only

type Play = (roundSeed: string) => Promise<RoundReport>

// An end by signal takes the nodes, the server and what is mounted along.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

await using stack = new AsyncDisposableStack()
const plays: Play[] = []
if (storage === undefined || storage === "sqlite") {
  for (const story of SQLITE_STORIES.filter(isWanted)) {
    plays.push((roundSeed) => playOnSqlite(story, { seed: roundSeed, size: "long" }))
  }
}
if (storage === undefined || storage === "postgres") {
  const server = stack.use(await startPostgres({ settings: SERVER_SETTINGS }))
  for (const story of [...POSTGRES_STORIES, ...SURROUNDING_STORIES].filter(isWanted)) {
    plays.push((roundSeed) => playOnPostgres(story, server, { seed: roundSeed, size: "long" }))
  }
}

if (storage === "cluster") {
  const cluster = stack.use(await startPatroniCluster(CLUSTER_SETTINGS))
  for (const story of CLUSTER_STORIES.filter(isWanted)) {
    plays.push((roundSeed) => playOnCluster(story, cluster, { seed: roundSeed, size: "long" }))
  }
}

if (older !== undefined) {
  const server = stack.use(await startPostgres({ settings: ROOMY_SERVER_SETTINGS }))
  const releases: Release[] = []
  for (const commit of older.split(",")) releases.push(stack.use(await openRelease(commit)))
  releases.push(THIS_RELEASE)
  plays.push((roundSeed) => playUpgrade(releases, { seed: roundSeed, server }))
}

console.log(`seed ${seed}`)
const endsAt = performance.now() + minutes * 60_000
const reports: RoundReport[] = []
for (let count = 0; performance.now() < endsAt; count += 1) {
  const play = plays[count % plays.length]
  if (play === undefined) break
  const report = await play(`${seed}.${count}`)
  reports.push(report)
  console.log(formatReport(report))
}
console.log(formatTotals(seed, reports))
if (reports.some(({ verdict }) => verdict.broken.length > 0)) process.exitCode = 1
