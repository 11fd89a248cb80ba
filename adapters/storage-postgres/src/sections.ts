/**
 * The parts of a batch's statement: each changes one table by rows that come as one array a column. A
 * statement holds the parts that its batch has rows for. None looks at what another did, so nothing
 * is joined back: whether all of it may stand is one condition at the end (batch-statement.ts).
 */
import { REQUEST_INPUT } from "@safelight/core"
import {
  TABLES,
  toPassedSql,
  toSqlName,
  type Column,
  type StoreDatabase,
  type StoredTaskRow,
  type Table,
} from "@safelight/store"

/** A section of rows of `Row`, each with all members of it and no other. */
export interface Section<Row = never> {
  /** The columns of its rows, in the order of the arrays. */
  readonly columns: readonly SectionColumn[]
  /** The change, reading its rows from `source`, which names them `x`. */
  readonly toSql: (source: string, toArray: ToArray, ofSection: OfSection) => string
  /** Never there: what the type is inferred from. */
  readonly holds?: (row: Row) => void
}

export interface SectionColumn extends Pick<Column<never>, "type" | "codec"> {
  /** Of the row. */
  readonly member: string
  /** In SQL. */
  readonly name: string
}

/**
 * The parameter that holds a column's array. What is looked up is named by it once more, next to the
 * join: so the index is used whatever the planner assumes of a table that was empty a moment ago.
 */
export type ToArray = (column: string) => string

/** The same of a section that stands before. */
export type OfSection = (section: string) => ToArray

const { accountTotals, charges, events, feeds, idempotency, inputs, labels } = TABLES
const { outcomes, ready, retention, tasks } = TABLES

/**
 * An input of a task that has begun is kept while its request is. The lock makes an erasure wait, or finds that
 * it was first.
 */
const LATE_INPUT = `where exists (
  select 1 from inputs as request where request.task = x.task and request.name = '${REQUEST_INPUT}' for key share
) on conflict (task, name) do nothing`
const QUEUED_AGAIN = `on conflict (task) do update set
  model = excluded.model, account = excluded.account, end_by = excluded.end_by,
  due_at = excluded.due_at, start_tag = excluded.start_tag, lease = excluded.lease,
  pool_number = excluded.pool_number, pool_size = excluded.pool_size`
const RETAINED_AGAIN = "on conflict (task) do update set due_at = excluded.due_at"

const { task, finishedAt, hash, snapshot, status, version } = tasks.columns
const integer = accountTotals.columns.unfinishedTasks

type Moved = Pick<
  StoredTaskRow,
  "task" | "finishedAt" | "hash" | "snapshot" | "status" | "version"
> & {
  readonly expectedHash: string
}

/**
 * What is added to the totals of an account that has a limit. `admittedTasks` is 0 where nothing is
 * to be judged; the highest are the greatest sums at which one of its changes is judged.
 */
export type AddedTotals = StoreDatabase["accountTotals"] & {
  readonly admittedTasks: number
  readonly highestMicros: number
  readonly highestTasks: number
}

const OVER_BUDGET = toPassedSql(
  "t.charged_micros + t.reserved_micros",
  "x.highest_micros",
  "c.budget_micros",
)
const OVER_TASKS = toPassedSql("t.unfinished_tasks", "x.highest_tasks", "c.unfinished_tasks")

export const SECTIONS = {
  /** A task that is there already fails the statement. */
  created: insert("tasks", tasks),
  /** The check of the newest event, by its hash: counted at the end. */
  moved: describe<Moved>(
    { task, expectedHash: hash, finishedAt, hash, snapshot, status, version },
    (source, toArray) => `update tasks as t set finished_at = x.finished_at, hash = x.hash,
  snapshot = x.snapshot, status = x.status, version = x.version
from ${source} where t.task = any(${toArray("task")}) and t.task = x.task and t.hash = x.expected_hash
returning 1`,
  ),
  events: insert("events", events),
  charges: insert("charges", charges),
  outcomes: insert("outcomes", outcomes),
  /** Of new tasks: nothing is there that they could meet, and looking for it is a third of the cost. */
  firstInputs: insert("inputs", inputs),
  inputs: insert("inputs", inputs, LATE_INPUT),
  /** Of new tasks alone. */
  labels: insert("labels", labels),
  /** A key that is used already fails the statement. */
  uses: insert("idempotency", idempotency),
  /** Of new tasks. */
  firstEnqueued: insert("ready", ready),
  enqueued: insert("ready", ready, QUEUED_AGAIN),
  rescheduled: describe<Pick<StoreDatabase["ready"], "task" | "dueAt" | "lease">>(
    { task, dueAt: ready.columns.dueAt, lease: ready.columns.lease },
    (source, toArray) => `update ready as r set
  due_at = x.due_at, lease = x.lease, start_tag = null
from ${source} where r.task = any(${toArray("task")}) and r.task = x.task`,
  ),
  dequeued: describe<{ readonly task: string }>(
    { task },
    (_source, toArray) => `delete from ready where task = any(${toArray("task")})`,
  ),
  /** Of tasks that have just finished. */
  firstRetained: insert("retention", retention),
  retained: insert("retention", retention, RETAINED_AGAIN),
  forgotten: describe<{ readonly task: string }>(
    { task },
    (_source, toArray) => `delete from retention where task = any(${toArray("task")})`,
  ),
  /**
   * The account of each of `events`, in their order. An append takes the positions of its entries, and the
   * row of the feed stays locked until it commits: so positions are in the order of commits.
   */
  feeds: describe<{ readonly account: string }>(
    { account: feeds.columns.account },
    (_source, toArray) => `update feeds as f set position = f.position + x.entries
from (select account, count(*) as entries from unnest(${toArray("account")}) as y(account) group by account) as x
where f.account = any(${toArray("account")}) and f.account = x.account
returning f.account, f.position - x.entries as base`,
  ),
  /** An entry for each of `events` whose account has a feed. */
  feedEntries: describe<object>({}, (_source, _toArray, ofSection) => {
    const columns = ["at", "task", "type", "version"]
    const arrays = [ofSection("feeds")("account"), ...columns.map(ofSection("events"))].join(", ")
    const names = columns.join(", ")
    return `insert into feed_entries (account, position, ${names})
select feeds.account, feeds.base + row_number() over (partition by feeds.account order by x.place),
  ${columns.map((column) => `x.${column}`).join(", ")}
from feeds join unnest(${arrays}) with ordinality as x(account, ${names}, place) on x.account = feeds.account`
  }),
  totals: describe<AddedTotals>(
    {
      ...accountTotals.columns,
      admittedTasks: integer,
      highestMicros: integer,
      highestTasks: integer,
    },
    (source, toArray) => `update account_totals as t set
  charged_micros = t.charged_micros + x.charged_micros,
  reserved_micros = t.reserved_micros + x.reserved_micros,
  unfinished_tasks = t.unfinished_tasks + x.unfinished_tasks
from ${source} left join accounts as c on c.id = any(${toArray("account")}) and c.id = x.account
where t.account = any(${toArray("account")}) and t.account = x.account and (x.admitted_tasks = 0
  or not (coalesce(${OVER_BUDGET}, false) or coalesce(${OVER_TASKS}, false)))
returning x.admitted_tasks`,
  ),
}

type Sections = typeof SECTIONS
export type SectionName = keyof Sections

/** The rows of a batch, by section; a section without rows is absent. */
export type BatchRows = {
  [Name in SectionName]?: Sections[Name] extends Section<infer Row> ? Row[] : never
}

/** In the order in which their parts stand in a statement. */
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[]

function describe<Row>(columns: Table<Row>["columns"], toSql: Section["toSql"]): Section<Row> {
  const entries = Object.entries<Pick<Column<never>, "type" | "codec">>(columns)
  return {
    columns: entries.map(([member, column]) => ({ member, name: toSqlName(member), ...column })),
    toSql,
  }
}

function insert<Row>(table: string, { columns }: Table<Row>, conflict = ""): Section<Row> {
  const names = Object.keys(columns)
    .map((member) => `"${toSqlName(member)}"`)
    .join(", ")
  return describe<Row>(
    columns,
    (source) => `insert into ${table} (${names}) select ${names} from ${source} ${conflict}`,
  )
}
