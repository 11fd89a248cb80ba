/**
 * The parts of a batch's statement: each changes one table by rows that come as one array a column. A
 * statement holds the parts that its batch has rows for. None looks at what another did, so nothing
 * is joined back: whether all of it may stand is one condition at the end (batch-statement.ts).
 */

export type ColumnType = "text" | "bigint"

export interface Section {
  readonly name: string
  /** The columns of its rows, in the order of the arrays. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[]
  /** The change, reading its rows from `source`, which names them `x`. */
  readonly toSql: (source: string, toArray: ToArray) => string
}

/**
 * The parameter that holds a column's array. What is looked up is named by it once more, beside the
 * join: so the index is used whatever the planner believes of a table that was empty a moment ago.
 */
export type ToArray = (column: string) => string

const text = (name: string) => [name, "text"] as const
const bigint = (name: string) => [name, "bigint"] as const

const EXISTING_INPUT = "on conflict (task, name) do nothing"
const QUEUED_AGAIN = `on conflict (task) do update set
  model = excluded.model, account = excluded.account, end_by = excluded.end_by,
  due_at = excluded.due_at, turn = excluded.turn, claim = excluded.claim`
const RETAINED_AGAIN = "on conflict (task) do update set due_at = excluded.due_at"

const PLACE = [
  text("task"),
  text("account"),
  text("model"),
  bigint("due_at"),
  bigint("end_by"),
  text("claim"),
  bigint("turn"),
]

const INPUT = [text("task"), text("name"), text("salt"), text("body")]

const TASK = [
  text("id"),
  text("account"),
  bigint("created_at"),
  bigint("finished_at"),
  text("hash"),
  text("model"),
  bigint("reservation_micros"),
  text("snapshot"),
  text("status"),
  bigint("version"),
]

export const SECTIONS = {
  /** A task that is there already fails the statement. */
  created: insert("created", "tasks", TASK),
  /** The check of the newest event, by its hash: counted at the end. */
  moved: {
    name: "moved",
    columns: [
      text("id"),
      text("expected_hash"),
      bigint("finished_at"),
      text("hash"),
      text("snapshot"),
      text("status"),
      bigint("version"),
    ],
    toSql: (source, toArray) => `update tasks as t set finished_at = x.finished_at, hash = x.hash,
  snapshot = x.snapshot, status = x.status, version = x.version
from ${source} where t.id = any(${toArray("id")}) and t.id = x.id and t.hash = x.expected_hash
returning 1`,
  },
  events: insert("events", "events", [
    text("task"),
    bigint("version"),
    bigint("at"),
    text("data"),
    text("hash"),
    bigint("schema"),
    text("type"),
  ]),
  artifacts: insert("artifacts", "artifacts", [
    text("task"),
    bigint("position"),
    bigint("bytes"),
    bigint("duration_ms"),
    bigint("expires_at"),
    bigint("expiry_hidden"),
    text("key"),
    text("mime_type"),
    text("locator"),
    text("sha256"),
    text("type"),
  ]),
  charges: insert("charges", "charges", [
    text("task"),
    text("account"),
    bigint("at"),
    bigint("billed_input_ms"),
    bigint("charge_micros"),
    bigint("images"),
    text("model"),
    bigint("output_video_ms"),
    text("price_version"),
  ]),
  outcomes: insert("outcomes", "outcomes", [
    text("task"),
    bigint("attempt"),
    bigint("at"),
    text("channel"),
    bigint("charge_micros"),
    bigint("cost_micros"),
    text("cost_source"),
    bigint("dispatched_at"),
    text("model"),
    text("outcome"),
  ]),
  /** Of new tasks: nothing is there that they could meet, and looking for it is a third of the cost. */
  firstInputs: insert("first_inputs", "inputs", INPUT),
  inputs: insert("inputs", "inputs", INPUT, EXISTING_INPUT),
  /** A key that is used already fails the statement. */
  uses: insert("uses", "idempotency", [
    text("account"),
    text("key"),
    text("fingerprint"),
    text("task"),
    bigint("used_at"),
  ]),
  /** Of new tasks. */
  placed: insert("placed", "ready", PLACE),
  queued: insert("queued", "ready", PLACE, QUEUED_AGAIN),
  rescheduled: {
    name: "rescheduled",
    columns: [text("task"), bigint("due_at"), text("claim")],
    toSql: (source, toArray) => `update ready as r set
  due_at = x.due_at, claim = x.claim, turn = null
from ${source} where r.task = any(${toArray("task")}) and r.task = x.task`,
  },
  dequeued: {
    name: "dequeued",
    columns: [text("task")],
    toSql: (_source, toArray) => `delete from ready where task = any(${toArray("task")})`,
  },
  retained: insert("retained", "retention", [text("task"), bigint("due_at")], RETAINED_AGAIN),
  forgotten: {
    name: "forgotten",
    columns: [text("task")],
    toSql: (_source, toArray) => `delete from retention where task = any(${toArray("task")})`,
  },
  /**
   * What is added to the totals of accounts that have a bound. `admitted_tasks` is 0 where nothing is
   * to be judged; the highest are what the batch comes to at most where one of its changes is judged.
   */
  totals: {
    name: "totals",
    columns: [
      text("account"),
      bigint("charged_micros"),
      bigint("reserved_micros"),
      bigint("unfinished_tasks"),
      bigint("admitted_tasks"),
      bigint("highest_micros"),
      bigint("highest_tasks"),
    ],
    toSql: (source, toArray) => `update account_totals as t set
  charged_micros = t.charged_micros + x.charged_micros,
  reserved_micros = t.reserved_micros + x.reserved_micros,
  unfinished_tasks = t.unfinished_tasks + x.unfinished_tasks
from ${source} left join accounts as c on c.id = any(${toArray("account")}) and c.id = x.account
where t.account = any(${toArray("account")}) and t.account = x.account and (x.admitted_tasks = 0 or (
  (c.budget_micros is null or t.charged_micros + t.reserved_micros + x.highest_micros <= c.budget_micros)
  and (c.unfinished_tasks is null or t.unfinished_tasks + x.highest_tasks <= c.unfinished_tasks)))
returning x.admitted_tasks`,
  },
} as const satisfies Record<string, Section>

export type SectionName = keyof typeof SECTIONS

/** In the order in which their parts stand in a statement. */
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[]

function insert(name: string, table: string, columns: Section["columns"], conflict = ""): Section {
  const names = columns.map(([column]) => `"${column}"`).join(", ")
  return {
    name,
    columns,
    toSql: (source) => `insert into ${table} (${names}) select ${names} from ${source} ${conflict}`,
  }
}
