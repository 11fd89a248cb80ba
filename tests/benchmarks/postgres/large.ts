/**
 * What grows with the database: the same work at 100,000 tasks and at 2,000,000, of 2,001 accounts of
 * which one has a tenth. The tasks are copies, by SQL, of some that an engine made, spread over the past year: so their
 * hashes are not their own, and nothing here proves chains. Ratios compare the largest database with the smallest.
 */
import { createHash } from "node:crypto"
import { percentile, ratePerSecond } from "../measure.ts"
import { createDatabase, type Database } from "./database.ts"
import { note, reportFigures } from "./figures.ts"
import { openOwn, type Own } from "./own.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"

const isQuick = process.argv.includes("--quick")
const SIZES = isQuick ? [1_000, 5_000] : [100_000, 2_000_000]
const TEMPLATES = isQuick ? 50 : 500
const BATCH = 50_000
const READS = isQuick ? 200 : 5_000
const SUBMISSIONS = isQuick ? 200 : 20_000
const YEAR_MS = 31_536_000_000
const MONTH_MS = 2_592_000_000
const START = Date.now() - YEAR_MS
const STEP_MS = Math.floor(YEAR_MS / (SIZES.at(-1) ?? 1))

const COPIED = ["tasks", "events", "inputs", "charges", "outcomes", "retention"]
const MOMENTS = new Set(["at", "created_at", "finished_at", "dispatched_at"])

/** The value of a column of a copy. */
function toCopied(column: string): string {
  if (column === "task") return "c.id"
  if (column === "account") return "c.account"
  if (MOMENTS.has(column)) return `t.${column} + c.shift`
  if (column === "snapshot" || column === "data") {
    return `replace(replace(t.${column}, c.old_name, c.name), '"${SAMPLE_REQUEST.account}"', '"' || c.account || '"')`
  }
  return `t.${column}`
}

/** Of the copy with this number, as SQL makes it too. */
function toId(number: number): string {
  const at = (START + number * STEP_MS).toString(16).padStart(12, "0")
  const digits = createHash("md5").update(String(number)).digest("hex")
  const rest = `7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`
  return `${at.slice(0, 8)}-${at.slice(8)}-${rest}`
}

function toAccount(number: number): string {
  return number % 10 === 0 ? "big" : `account-${number % 2_000}`
}

async function prepare(database: Database): Promise<void> {
  await database.query(`
    create table template as
      select row_number() over (order by task) - 1 as place, task, created_at,
        regexp_replace(encode(task, 'hex'), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5') as name
      from tasks`)
  await database.query(`set synchronous_commit = off`)
}

async function copy(database: Database, from: number, to: number): Promise<void> {
  // As full as rows that an engine made leave the pages.
  await database.query("alter table tasks set (fillfactor = 50)")
  for (let first = from; first < to; first += BATCH) {
    await database.query(`
      create temporary table copies as
        select n, t.task as old, t.name as old_name, made.id, made.at - t.created_at as shift,
          regexp_replace(encode(made.id, 'hex'), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5') as name,
          case when n % 10 = 0 then 'big' else 'account-' || n % 2000 end as account
        from generate_series(${first}, ${Math.min(first + BATCH, to) - 1}) as n
        join template t on t.place = n % ${TEMPLATES},
        lateral (select ${START} + n::bigint * ${STEP_MS} as at) as moment,
        lateral (select moment.at, decode(lpad(to_hex(moment.at), 12, '0') || '7' || substr(md5(n::text), 1, 3)
          || '8' || substr(md5(n::text), 4, 15), 'hex') as id) as made`)
    for (const table of COPIED) {
      const { columns } = await database.query(`
        select string_agg(column_name, ',') as columns from information_schema.columns
        where table_schema = current_schema() and table_name = '${table}'`)
      const names = String(columns).split(",")
      await database.query(`
        insert into ${table} (${names.join(", ")})
        select ${names.map(toCopied).join(", ")} from copies c join ${table} t on t.task = c.old order by c.n`)
    }
    await database.query("drop table copies")
  }
  await database.query("alter table tasks set (fillfactor = 28)")
}

async function timeEach(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = []
  let index = 0
  await ratePerSecond(count, 4, async () => {
    const place = index
    index += 1
    const startedAt = performance.now()
    await call(place)
    times.push(performance.now() - startedAt)
  })
  return times
}

async function timeOnce(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await call()
  return performance.now() - startedAt
}

type Measures = Record<string, number>

async function measureReads({ engine, storage }: Own, size: number): Promise<Measures> {
  const random = (): number => Math.floor(Math.random() * size)
  const p99 = async (
    count: number,
    call: (number: number) => Promise<unknown>,
  ): Promise<number> => {
    await timeEach(count / 10, () => call(random()))
    return percentile(await timeEach(count, () => call(random())), 0.99)
  }
  const now = Date.now()
  const month = { from: now - MONTH_MS, to: now }
  const few = READS / 50
  return {
    get_p99_ms: await p99(READS, async (number) => {
      if ((await storage.readTask(toId(number))) === undefined) throw new Error("a copy is missing")
    }),
    list_p99_ms: await p99(READS, (number) =>
      storage.listTasks({ account: toAccount(number), limit: 20 }),
    ),
    list_failed_p99_ms: await p99(few, (number) =>
      storage.listTasks({ account: toAccount(number), limit: 20, status: "failed" }),
    ),
    list_model_p99_ms: await p99(few, (number) =>
      storage.listTasks({ account: toAccount(number), limit: 20, model: "none" }),
    ),
    list_all_ms: await timeOnce(() => storage.listAllTasks({ status: "failed", limit: 20 })),
    usage_p99_ms: await p99(few, (number) =>
      engine.sumUsage({ account: toAccount(number), ...month }),
    ),
    usage_big_ms: await timeOnce(() => engine.sumUsage({ account: "big", ...month })),
    outcomes_ms: await timeOnce(() => storage.groupOutcomes({ by: "day", limit: 100, ...month })),
    channel_hours_ms: await timeOnce(() => storage.listChannelHours(month)),
    sweep_ms: await timeOnce(() => engine.sweep()),
    measure_queue_ms: await timeOnce(() => storage.measureQueue()),
    forget_keys_ms: await timeOnce(() => storage.forgetIdempotency({ usedBefore: 1, limit: 100 })),
  }
}

/** Tasks a second that are read as an export reads them. */
async function exportRate({ storage }: Own): Promise<number> {
  let after = toId(1_000)
  let tasks = 0
  const startedAt = performance.now()
  while (tasks < READS) {
    const page = await storage.scan({ after, limit: 100 })
    tasks += page.streams.length
    if (page.next === null) break
    after = page.next
  }
  return (tasks / (performance.now() - startedAt)) * 1_000
}

async function measureWrites(own: Own): Promise<Measures> {
  const { engine, storage, submit } = own
  await ratePerSecond(SUBMISSIONS / 4, 256, submit)
  const submitted = await ratePerSecond(SUBMISSIONS, 256, submit)
  const takes = await timeEach(100, () =>
    storage.take({ lease: "large", models: [SAMPLE_REQUEST.model], now: Date.now(), limit: 10 }),
  )
  engine.start()
  const lived = await ratePerSecond(SUBMISSIONS / 4, 256, own.live)
  await engine.stop()
  return { submit_per_s: submitted, take_p99_ms: percentile(takes, 0.99), lives_per_s: lived }
}

async function measure(database: Database, size: number): Promise<Measures> {
  const vacuum = await timeOnce(() => database.query("vacuum analyze"))
  await database.query("checkpoint")
  await using own = await openOwn(database.url)
  const reads = await measureReads(own, size)
  const exported = await exportRate(own)
  const writes = await measureWrites(own)
  const { bytes } = await database.query("select pg_database_size(current_database()) as bytes")
  return {
    ...reads,
    ...writes,
    export_per_s: exported,
    vacuum_ms: vacuum,
    stored_bytes_per_task: Number(bytes) / size,
  }
}

await using database = await createDatabase("large")
{
  await using own = await openOwn(database.url)
  own.engine.start()
  await ratePerSecond(TEMPLATES, 16, own.live)
}
await prepare(database)
const figures: Measures = {}
let copied = 0
let first: Measures | undefined
for (const size of SIZES) {
  note(`${size} tasks…`)
  await copy(database, copied, size)
  copied = size
  const found = await measure(database, size)
  first ??= found
  for (const [name, value] of Object.entries(found)) {
    figures[`${name}_${size / 1_000}k`] = value
    if (size === SIZES.at(-1)) figures[`${name}_ratio`] = value / (first[name] ?? Number.NaN)
  }
}
reportFigures(figures)
