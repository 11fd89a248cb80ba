/**
 * `submit_per_s` and its ratios: 64 callers, each awaiting that its submission is durable, with no
 * worker started, in turns with pg-boss `send`, graphile-worker `addJob`, Emmett's `appendToStream`
 * and the raw limit of the server.
 */
import { openEmmett } from "./emmett.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { openGraphileUtils } from "./graphile-worker.ts"
import { openOwn } from "./own.ts"
import { openBoss } from "./pg-boss.ts"
import { medianOf, race, ratioOf } from "./race.ts"
import { openRawInserts } from "./raw-inserts.ts"
import { toScale } from "./scale.ts"

const CALLERS = 64

await using ownDatabase = await createDatabase("own")
await using rawDatabase = await createDatabase("raw")
await using bossDatabase = await createDatabase("pgboss")
await using graphileDatabase = await createDatabase("graphile")
await using emmettDatabase = await createDatabase("emmett")

await using own = await openOwn(ownDatabase.url)
await using raw = await openRawInserts(rawDatabase)
await using boss = await openBoss(bossDatabase.url)
await using graphile = await openGraphileUtils(graphileDatabase)
const [submitted] = await own.storage.readEvents(await own.submit())
await using emmett = await openEmmett(emmettDatabase.url, submitted?.data ?? "{}")

const rounds = await race({
  contenders: {
    own: { work: own.submit },
    raw,
    pgboss: boss.send,
    graphile,
    emmett,
  },
  inFlight: CALLERS,
  scale: toScale(process.argv),
  database: ownDatabase,
})
reportFigures({
  submit_per_s: medianOf(rounds, "own"),
  submit_pgboss_per_s: medianOf(rounds, "pgboss"),
  submit_graphile_per_s: medianOf(rounds, "graphile"),
  append_emmett_per_s: medianOf(rounds, "emmett"),
  submit_raw_per_s: medianOf(rounds, "raw"),
  submit_pgboss_ratio: ratioOf(rounds, "own", "pgboss"),
  submit_graphile_ratio: ratioOf(rounds, "own", "graphile"),
  append_emmett_ratio: ratioOf(rounds, "own", "emmett"),
  submit_raw_ratio: ratioOf(rounds, "own", "raw"),
})
