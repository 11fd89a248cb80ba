/**
 * What a life cycle on a channel that takes a second costs, by table and index: `cost_wal_…` are the bytes that it
 * writes ahead without page images, `cost_writes_…` the records that these are in, so the row versions or index
 * entries, and `cost_stored_…` the bytes that stay once dead rows are vacuumed. `cost_wal_others` are commits and
 * whatever belongs to no table of ours. The figures of the log are null on a server without pg_walinspect, or older
 * than 16.
 */
import { ratePerSecond } from "../measure.ts"
import { createDatabase, type Database } from "./database.ts"
import { note, reportFigures, type Figures } from "./figures.ts"
import { createQuickChannel, openOwn } from "./own.ts"
import { toScale } from "./scale.ts"

const CALLERS = 1_500

type Amounts = ReadonlyMap<string, number>

const POSITION = "select pg_current_wal_insert_lsn()::text as position"

/** Tables with what lies beside them, and each index by itself. */
const SIZES = `
  select json_object_agg(relname, pg_table_size(oid)) as amounts from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`

/** The head of a record counts for the first block that it changes: of our changes few change more than one. */
function toLogQuery(from: string, to: string): string {
  return `
    with blocks as materialized (
      select b.start_lsn, b.block_data_length + case when b.block_id = 0 then
          b.record_length - sum(b.block_data_length + b.block_fpi_length) over (partition by b.start_lsn)
        else 0 end as bytes, c.relname as name
      from pg_get_wal_block_info('${from}', '${to}', false) as b
      left join pg_class as c on pg_relation_filenode(c.oid) = b.relfilenode
        and c.relnamespace = 'public'::regnamespace
    ), known as (
      select name, sum(bytes) as bytes, count(*) as writes from blocks where name is not null group by name
    )
    select json_object_agg(name, bytes) as bytes, json_object_agg(name, writes) as writes,
      (select sum(record_length - fpi_length) from pg_get_wal_records_info('${from}', '${to}'))
        - sum(bytes) as others from known`
}

async function readSizes(database: Database): Promise<Amounts> {
  await database.query("vacuum")
  return toAmounts((await database.query(SIZES))["amounts"])
}

function toAmounts(found: unknown): Amounts {
  return new Map(Object.entries(found as Readonly<Record<string, number>>))
}

async function canReadLog(database: Database): Promise<boolean> {
  const { is_known: isKnown } = await database.query(`
    select current_setting('server_version_num')::integer >= 160000
      and exists (select from pg_available_extensions where name = 'pg_walinspect') as is_known`)
  if (isKnown !== true) note("cost: the log's figures need PostgreSQL 16 with pg_walinspect")
  else await database.query("create extension pg_walinspect")
  return isKnown === true
}

async function readLog(database: Database, from: string, tasks: number): Promise<Figures> {
  const { position: to } = await database.query(POSITION)
  const found = await database.query(toLogQuery(from, String(to)))
  return {
    ...toFigures("cost_wal", toAmounts(found["bytes"]), tasks),
    cost_wal_others: Number(found["others"]) / tasks,
    ...toFigures("cost_writes", toAmounts(found["writes"]), tasks),
  }
}

/** The largest first; without those of which a task has less than a byte, or one write in a hundred tasks. */
function toFigures(kind: string, amounts: Amounts, tasks: number): Figures {
  const least = kind === "cost_writes" ? 0.01 : 1
  const perTask = [...amounts].map(([name, amount]) => [`${kind}_${name}`, amount / tasks] as const)
  return Object.fromEntries(
    perTask.filter(([, amount]) => amount >= least).toSorted(([, a], [, b]) => b - a),
  )
}

await using database = await createDatabase("own")
await using own = await openOwn(database.url, {}, createQuickChannel(CALLERS))
const { diskTasks: tasks } = toScale(process.argv)

own.engine.start()
await ratePerSecond(tasks / 4, CALLERS, own.live)
const isKnown = await canReadLog(database)
const before = await readSizes(database)
const { position } = await database.query(POSITION)
await ratePerSecond(tasks, CALLERS, own.live)
const log = isKnown ? await readLog(database, String(position), tasks) : { cost_wal_others: null }
const after = await readSizes(database)
const grown = [...after].map(([name, size]) => [name, size - (before.get(name) ?? 0)] as const)
reportFigures({ ...log, ...toFigures("cost_stored", new Map(grown), tasks) })
