/**
 * `lifecycles_per_s` and its ratios: submitted, dispatched, accepted and succeeded, with a channel
 * that answers at once, 256 in flight; in turns with what a job takes from its insert to its
 * completion in pg-boss (one at a time, and inserted in bulk), graphile-worker (with its local queue)
 * and BullMQ.
 */
import { openBull } from "./bullmq.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { openGraphile } from "./graphile-worker.ts"
import { openOwn } from "./own.ts"
import { openBoss } from "./pg-boss.ts"
import { medianOf, race, ratioOf } from "./race.ts"
import { toScale } from "./scale.ts"

const IN_FLIGHT = 256

await using ownDatabase = await createDatabase("own")
await using bossDatabase = await createDatabase("pgboss")
await using graphileDatabase = await createDatabase("graphile")

await using own = await openOwn(ownDatabase.url)
await using boss = await openBoss(bossDatabase.url)
await using graphile = await openGraphile(graphileDatabase, IN_FLIGHT)
await using bull = await openBull(IN_FLIGHT)

own.engine.start()
const rounds = await race({
  contenders: {
    own: { work: own.live },
    pgboss: boss.lifecycle,
    bulk: boss.bulkLifecycle,
    graphile,
    bullmq: bull,
  },
  inFlight: IN_FLIGHT,
  scale: toScale(process.argv),
  database: ownDatabase,
})
reportFigures({
  lifecycles_per_s: medianOf(rounds, "own"),
  lifecycle_pgboss_per_s: medianOf(rounds, "pgboss"),
  lifecycle_pgboss_bulk_per_s: medianOf(rounds, "bulk"),
  lifecycle_graphile_per_s: medianOf(rounds, "graphile"),
  lifecycle_bullmq_per_s: medianOf(rounds, "bullmq"),
  lifecycle_pgboss_ratio: ratioOf(rounds, "own", "pgboss"),
  lifecycle_pgboss_bulk_ratio: ratioOf(rounds, "own", "bulk"),
  lifecycle_graphile_ratio: ratioOf(rounds, "own", "graphile"),
  lifecycle_bullmq_ratio: ratioOf(rounds, "own", "bullmq"),
})
