/**
 * `wal_bytes_per_task`, `stored_bytes_per_task`: what a life cycle on a channel that takes a second writes ahead, and
 * what stays of it in the database, indexes and all, once dead rows are vacuumed. Page images are part of the first: a
 * checkpoint comes right before, so it holds more of them than a long run would. The first is the whole server's: nobody
 * else may write meanwhile.
 */
import { ratePerSecond } from "../measure.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { createQuickChannel, openOwn } from "./own.ts"
import { toScale } from "./scale.ts"

const CALLERS = 1_500
const SIZES = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal,
    pg_database_size(current_database())::text as stored`

await using database = await createDatabase("own")
await using own = await openOwn(database.url, {}, createQuickChannel(CALLERS))
const { diskTasks } = toScale(process.argv)

own.engine.start()
await ratePerSecond(diskTasks / 4, CALLERS, own.live)
await database.query("vacuum")
await database.query("checkpoint")
const before = await database.query(SIZES)
await ratePerSecond(diskTasks, CALLERS, own.live)
const { wal } = await database.query(SIZES)
await database.query("vacuum")
const { stored } = await database.query(SIZES)

const perTask = (after: unknown, name: "wal" | "stored"): number =>
  (Number(after) - Number(before[name])) / diskTasks
reportFigures({
  wal_bytes_per_task: perTask(wal, "wal"),
  stored_bytes_per_task: perTask(stored, "stored"),
})
