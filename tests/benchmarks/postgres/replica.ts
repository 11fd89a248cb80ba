/**
 * `replica_read_share`: the share of lists that a standby answers while tasks are submitted all the time, and lists a
 * second with and without it, in turns. `replica_primary_cpu_ratio`: the primary's processor time for a list that the
 * standby answers, over that for one of its own, while nothing is written. Server and standby are made for it, and have
 * no other machine here: what the primary is spared the standby takes from the same processors.
 */
import { startPostgres } from "../../support/postgres-server.ts"
import { startStandby } from "../../support/postgres-standby.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { until } from "../../support/until.ts"
import { readServerCpuMs } from "../cluster/server-cpu.ts"
import { createDatabase, SERVER_URL } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { openOwn, type Own } from "./own.ts"
import { medianOf, race, ratioOf } from "./race.ts"
import { toScale } from "./scale.ts"

const READERS = 16
const WRITERS = 4
/** So that each list is full. */
const LISTED = 20

const list = ({ storage }: Own) =>
  storage.listTasks({ account: SAMPLE_REQUEST.account, limit: LISTED })

await using primary = await startPostgres({ settings: ["wal_keep_size=512MB"] })
process.env[SERVER_URL] = primary.url("postgres")
await using database = await createDatabase("replica")
await using alone = await openOwn(database.url)
for (let count = 0; count <= LISTED; count += 1) await alone.submit()
await using standby = await startStandby(primary)
const counts = { primary: 0, replica: 0 }
await using replicated = await openOwn(database.url, {
  readUrl: standby.url(new URL(database.url).pathname.slice(1)),
  onRead: (answerer) => void (counts[answerer] += 1),
})
await until(async () => {
  await list(replicated)
  return counts.replica > 0
})

const scale = toScale(process.argv)
const { pid } = await database.query("select pg_backend_pid() as pid")

/** For as many lists for each. */
async function measureCpuMs(own: Own): Promise<number> {
  const before = await readServerCpuMs(Number(pid))
  const readers = Array.from({ length: READERS }, async () => {
    for (let count = 0; count < scale.singleCommits; count += 1) await list(own)
  })
  await Promise.all(readers)
  return (await readServerCpuMs(Number(pid))) - before
}

await measureCpuMs(alone)
const ownCpuMs = await measureCpuMs(alone)
const sparedCpuMs = await measureCpuMs(replicated)
counts.primary = 0
counts.replica = 0

const over = new AbortController()
const writers = Array.from({ length: WRITERS }, async () => {
  while (!over.signal.aborted) await alone.submit()
})
const rounds = await race({
  contenders: {
    alone: { work: () => list(alone) },
    replicated: { work: () => list(replicated) },
  },
  inFlight: READERS,
  scale,
  database,
})
over.abort()
await Promise.all(writers)
reportFigures({
  replica_read_share: counts.replica / (counts.primary + counts.replica),
  lists_per_s: medianOf(rounds, "alone"),
  replica_lists_per_s: medianOf(rounds, "replicated"),
  replica_primary_cpu_ratio: sparedCpuMs / ownCpuMs,
  replica_lists_ratio: ratioOf(rounds, "replicated", "alone"),
})
