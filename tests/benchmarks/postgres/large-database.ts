/**
 * A database as large as a service of that size keeps it: every task's row, bill and attempts, with the events and
 * inputs of the newest twentieth alone, since older tasks are archived. The rows are copies, by SQL, of tasks that an
 * engine made, spread over the past year and 2,001 accounts, of which one has a tenth. Hashes are those of the copied
 * tasks, so nothing here proves chains. The archive's reader makes an archived task's events from the number of the copy.
 */
import { createHash } from "node:crypto"
import type { ArchiveReader, Storage, StoredEvent } from "@safelight/core"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { ratePerSecond } from "../measure.ts"
import { startPostgres } from "../../support/postgres-server.ts"
import { createDatabase, SERVER_URL, type Database } from "./database.ts"
import { openOwn } from "./own.ts"

const YEAR_MS = 31_536_000_000
/** Of all tasks, the newest. */
const KEPT_SHARE = 0.05

/** Every archived task is in it, at the number of its copy. */
const SEGMENT = 1

/** Tables of a task that stay when it is archived, and those that only a task in the database has. */
const LASTING = ["tasks", "charges", "outcomes"]
const PASSING = ["events", "inputs", "retention"]
const MOMENTS = new Set(["at", "created_at", "finished_at", "dispatched_at"])

/** Without a log that others follow, none is written of a table that is filled as it was made empty. */
const SETTINGS = [
  "shared_buffers=2GB",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_wal_size=4GB",
]

/** A server of this benchmark alone, where the runner was given none. */
export async function openLargeServer(): Promise<AsyncDisposable> {
  if (process.env["SAFELIGHT_TEST_DATABASE_URL"] !== undefined)
    return { async [Symbol.asyncDispose]() {} }
  const server = await startPostgres({ settings: SETTINGS })
  process.env[SERVER_URL] = server.url("postgres")
  return server
}

export interface LargeDatabase extends AsyncDisposable {
  readonly database: Database
  readonly size: number
  /** The number of the first copy that is not archived. */
  readonly firstKept: number
  /** Of the copy with this number. */
  toId(number: number): string
  /** What `useArchive` of a storage is given. */
  readonly reader: ArchiveReader
}

export function toAccount(number: number): string {
  return number % 10 === 0 ? "big" : `account-${number % 2_000}`
}

export async function createLargeDatabase(size: number, templates: number): Promise<LargeDatabase> {
  const database = await createDatabase(`large_${size}`)
  const { streams, tasksFill } = await makeTemplates(database, templates)
  const copies = toCopies(size, templates, Date.now() - YEAR_MS)
  await load(database, copies, tasksFill)
  return {
    database,
    size,
    firstKept: copies.firstKept,
    toId: copies.toId,
    reader: createReader(copies, streams),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

interface Copies {
  readonly size: number
  readonly templates: number
  readonly firstKept: number
  readonly start: number
  readonly stepMs: number
  toId(number: number): string
}

function toCopies(size: number, templates: number, start: number): Copies {
  const stepMs = Math.floor(YEAR_MS / size)
  return {
    size,
    templates,
    firstKept: Math.floor(size * (1 - KEPT_SHARE)),
    start,
    stepMs,
    /** As `COPY_ID` makes it too. */
    toId(number) {
      const at = (start + number * stepMs).toString(16).padStart(12, "0")
      const digits = createHash("md5").update(String(number)).digest("hex")
      const rest = `7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`
      return `${at.slice(0, 8)}-${at.slice(8)}-${rest}`
    },
  }
}

interface Templates {
  readonly streams: readonly (readonly StoredEvent[])[]
  /** How full rows that an engine finished leave the pages of `tasks`, in percent. */
  readonly tasksFill: number
}

async function makeTemplates(database: Database, count: number): Promise<Templates> {
  await using own = await openOwn(database.url)
  own.engine.start()
  await ratePerSecond(count, 16, own.live)
  await database.query("vacuum analyze")
  const { fill } = await database.query(
    `select ceil(100 * sum(pg_column_size(tasks) + 4) / pg_relation_size('tasks')) as fill from tasks`,
  )
  return { streams: await readStreams(own.storage), tasksFill: Number(fill) }
}

/** In the order of their ids. */
async function readStreams(storage: Storage): Promise<readonly (readonly StoredEvent[])[]> {
  const streams: (readonly StoredEvent[])[] = []
  let after: string | null = ""
  while (after !== null) {
    // oxlint-disable-next-line no-await-in-loop -- a page after another
    const page: Awaited<ReturnType<Storage["scan"]>> = await storage.scan({ after, limit: 100 })
    streams.push(...page.streams.map(({ events }) => events))
    after = page.next
  }
  return streams
}

/** Answers at once: what reading a segment's file takes is not measured here. */
function createReader({ templates, toId }: Copies, streams: Templates["streams"]): ArchiveReader {
  const refuse = async (): Promise<never> => {
    throw new Error("no part of a tree is archived")
  }
  return {
    async read({ offset }) {
      const task = toId(offset)
      const events = streams[offset % templates] ?? []
      return [{ task, events: events.map((event) => ({ ...event, task })) }]
    },
    readTile: refuse,
    readRuns: refuse,
  }
}

/** UUIDs of version 7. */
const COPY_ID = `decode(lpad(to_hex(at), 12, '0') || '7' || substr(digits, 1, 3) || '8' || substr(digits, 4, 15), 'hex')`

const TO_UUID = (bytes: string): string =>
  `regexp_replace(encode(${bytes}, 'hex'), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5')`

/** The value of a column of a copy. Attempts are those of five channels and twenty models. */
function toCopied(table: string, column: string, isKept: boolean): string {
  if (column === "channel") return "'channel-' || c.n % 5"
  if (column === "model" && table !== "tasks") return "t.model || '-' || c.n / 5 % 20"
  if (column === "task") return "c.id"
  if (column === "account") return "c.account"
  // Nothing is due.
  if (column === "due_at") return `t.due_at + ${YEAR_MS} + c.at - t.template_at`
  if (MOMENTS.has(column)) return `t.${column} + c.at - t.template_at`
  if (column === "snapshot" && !isKept) return `'{"archived":[${SEGMENT},' || c.n || ',1]}'`
  if (column === "snapshot" || column === "data") {
    const named = `replace(t.${column}, t.template_name, ${TO_UUID("c.id")})`
    return `replace(${named}, '"${SAMPLE_REQUEST.account}"', '"' || c.account || '"')`
  }
  return `t.${column}`
}

/** Copies `from` to `to` of a table, in the order of their numbers; those of one task in that of the table's key. */
async function copyRows(
  database: Database,
  { start, stepMs, templates }: Copies,
  { from, isKept, table, to }: { from: number; isKept: boolean; table: string; to: number },
): Promise<void> {
  const { columns } = await database.query(`
    select string_agg(column_name, ',') as columns from information_schema.columns
    where table_schema = current_schema() and table_name = '${table}'`)
  const names = String(columns).split(",")
  // Without OFFSET 0 the planner would put the id's expression wherever it is used.
  await database.query(`
    insert into ${table} (${names.join(", ")})
    select ${names.map((name) => toCopied(table, name, isKept)).join(", ")}
    from (select n, at, account, ${COPY_ID} as id from (
      select n, ${start}::bigint + n::bigint * ${stepMs} as at, md5(n::text) as digits,
        case when n % 10 = 0 then 'big' else 'account-' || n % 2000 end as account
      from generate_series(${from}, ${to - 1}) as n offset 0) as numbered offset 0) as c
    join lateral (select * from template_${table} where place = c.n % ${templates}) as t on true`)
}

/** An empty table that was emptied in the same transaction is filled without a log, on a server that keeps none. */
async function load(database: Database, copies: Copies, tasksFill: number): Promise<void> {
  await database.query(`
    create temporary table template as
      select row_number() over (order by task) - 1 as place, task, created_at as template_at,
        ${TO_UUID("task")} as template_name from tasks`)
  await database.query("set maintenance_work_mem = '1GB'")
  await database.query("set session_replication_role = replica")
  for (const table of [...PASSING, ...LASTING]) {
    await database.query(`
      create temporary table template_${table} as
        select x.*, template.place, template_at, template_name from ${table} as x join template using (task)`)
    await database.query(`create index on template_${table} (place)`)
    await database.query(`analyze template_${table}`)
  }
  for (const table of [...PASSING, ...LASTING])
    await loadTable(database, copies, { table, tasksFill })
  await database.query("set session_replication_role = origin")
  await database.query(`
    insert into archive_segments (id, at, bytes, task_count, event_count, sha256, locator)
    values (${SEGMENT}, 1, 1, ${copies.firstKept}, 1, '', 'segment')`)
  await database.query("vacuum (freeze, analyze)")
  await database.query("checkpoint")
}

async function loadTable(
  database: Database,
  copies: Copies,
  { table, tasksFill }: { table: string; tasksFill: number },
): Promise<void> {
  const { drops, makes } = await database.query(`
    select string_agg(case when c.conname is null then 'drop index ' || i.indexrelid::regclass
        else 'alter table ${table} drop constraint ' || c.conname end, ';') as drops,
      string_agg(case when c.conname is null then pg_get_indexdef(i.indexrelid)
        else 'alter table ${table} add constraint ' || c.conname || ' ' || pg_get_constraintdef(c.oid) end, ';') as makes
    from pg_index as i left join pg_constraint as c on c.conindid = i.indexrelid and c.contype = 'p'
    where i.indrelid = '${table}'::regclass`)
  const { firstKept, size } = copies
  const { option } = await database.query(`
    select option from pg_class, unnest(reloptions) as option
    where oid = '${table}'::regclass and option like 'fillfactor=%'`)
  await database.query("begin")
  await database.query(`truncate ${table}`)
  for (const drop of String(drops).split(";")) await database.query(drop)
  // Room that archived rows leave is filled by new ones, so their pages are as full as the table's setting lets them be.
  if (LASTING.includes(table))
    await copyRows(database, copies, { from: 0, isKept: false, table, to: firstKept })
  // An engine adds short rows, which grow.
  if (table === "tasks") await database.query(`alter table tasks set (fillfactor = ${tasksFill})`)
  await copyRows(database, copies, { from: firstKept, isKept: true, table, to: size })
  if (table === "tasks") await database.query(`alter table tasks set (${String(option)})`)
  for (const make of String(makes).split(";")) await database.query(make)
  await database.query("commit")
}
