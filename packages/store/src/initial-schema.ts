/**
 * Schema 1: every table and index. It is frozen: a later schema is a migration beside this one, never a
 * change here, since databases exist that ran it. So it does not read `tables.ts`, which says what the
 * newest schema is; a test compares the two.
 */
import { sql, type CreateTableBuilder, type Kysely } from "kysely"
import type { StoreDialect } from "./dialect.ts"

/** `?`: may be null. */
type ColumnKind = "id" | "text" | "text?" | "integer" | "integer?" | Default

interface Default {
  readonly type: "text" | "integer"
  readonly defaultTo: string | number
}

interface TableShape {
  readonly columns: Readonly<Record<string, ColumnKind>>
  readonly key: readonly string[]
  /** Whether its rows are large. */
  readonly isWide?: true
}

const TABLES: Readonly<Record<string, TableShape>> = {
  events: {
    columns: {
      task: "id",
      version: "integer",
      at: "integer",
      type: "text",
      schema: "integer",
      hash: "text",
      data: "text",
    },
    key: ["task", "version"],
  },
  inputs: {
    columns: { task: "id", name: "text", salt: "text", body: "text" },
    key: ["task", "name"],
    isWide: true,
  },
  tasks: {
    columns: {
      id: "id",
      version: "integer",
      account: "id",
      model: "text",
      status: "text",
      created_at: "integer",
      finished_at: "integer",
      hash: "text",
      reservation_micros: "integer",
      snapshot: "text",
    },
    key: ["id"],
    isWide: true,
  },
  artifacts: {
    columns: {
      task: "id",
      position: "integer",
      key: "text",
      type: "text",
      mime_type: "text",
      bytes: "integer",
      sha256: "text",
      duration_ms: "integer?",
      locator: "text",
      expires_at: "integer",
      expiry_hidden: "integer",
    },
    key: ["task", "position"],
  },
  charges: {
    columns: {
      task: "id",
      account: "id",
      at: "integer",
      model: "text",
      price_version: "text",
      images: "integer",
      output_video_ms: "integer",
      billed_input_ms: "integer",
      charge_micros: "integer",
    },
    key: ["task"],
  },
  outcomes: {
    // Sums are told in the order of the bytes of channel and model.
    columns: {
      task: "id",
      attempt: "integer",
      at: "integer",
      channel: "id",
      charge_micros: "integer",
      cost_micros: "integer",
      cost_source: "text",
      dispatched_at: "integer",
      model: "id",
      outcome: "text",
    },
    key: ["task", "attempt"],
  },
  ready: {
    columns: {
      task: "id",
      account: "id",
      model: "text",
      due_at: "integer",
      end_by: "integer",
      lease: "text?",
      start_tag: "integer?",
    },
    key: ["task"],
  },
  leases: { columns: { lease: "id", beats: "integer", facts: "text" }, key: ["lease"] },
  retention: { columns: { task: "id", due_at: "integer" }, key: ["task"] },
  idempotency: {
    columns: { account: "id", key: "text", fingerprint: "text", task: "id", used_at: "integer" },
    key: ["account", "key"],
  },
  accounts: {
    columns: {
      id: "id",
      created_at: "integer",
      budget_micros: "integer?",
      link_epoch: { type: "integer", defaultTo: 0 },
      rates: { type: "text", defaultTo: '{"create":null,"read":null,"content":null}' },
      retention_ms: "integer?",
      running_tasks: "integer?",
      signs_content_urls: { type: "integer", defaultTo: 0 },
      suspended_at: { type: "integer", defaultTo: 0 },
      unfinished_tasks: "integer?",
      weight: { type: "integer", defaultTo: 1 },
    },
    key: ["id"],
  },
  account_totals: {
    columns: {
      account: "id",
      charged_micros: "integer",
      reserved_micros: "integer",
      unfinished_tasks: "integer",
    },
    key: ["account"],
  },
  keys: {
    columns: {
      id: "id",
      account: "id",
      secret_sha256: "text",
      scopes: "text",
      created_at: "integer",
      revoked_at: "integer",
      expires_at: "integer",
    },
    key: ["id"],
  },
  rates: {
    columns: { account: "id", policy: "text", moment: "integer" },
    key: ["account", "policy"],
  },
  link_keys: {
    columns: { id: "id", secret: "text", created_at: "integer", rank: "integer" },
    key: ["id"],
  },
  link_epochs: { columns: { task: "id", key: "text", epoch: "integer" }, key: ["task", "key"] },
  moves: { columns: { id: "id", state: "text", at: "integer" }, key: ["id"] },
  deployment: {
    columns: {
      id: "integer",
      revision: "integer",
      origin: "text",
      artifacts_mark: "text?",
      adopted_at: "integer",
    },
    key: ["id"],
  },
  deployment_secrets: { columns: { adopted_at: "integer", secret: "text" }, key: ["adopted_at"] },
  paused_channels: { columns: { channel: "id", paused_at: "integer" }, key: ["channel"] },
}

interface IndexShape {
  readonly on: string
  readonly columns: readonly string[]
  /** Columns that are null, and that are not, in every row of a partial index. */
  readonly nulls?: readonly string[]
  readonly notNulls?: readonly string[]
}

const INDEXES: Readonly<Record<string, IndexShape>> = {
  // No column of it changes once a task is created, so that advancing a task leaves it alone.
  tasks_listed: { on: "tasks", columns: ["account", "created_at", "id"] },
  // The amount stands in it, so that an account's whole bill is added up without its rows.
  charges_billed: { on: "charges", columns: ["account", "at", "charge_micros"] },
  outcomes_ended: { on: "outcomes", columns: ["at"] },
  // Three kinds of places, and an index of its own for each: see queue-statements.ts.
  ready_new: {
    on: "ready",
    columns: ["model", "start_tag", "task"],
    nulls: ["lease"],
    notNulls: ["start_tag"],
  },
  ready_due: {
    on: "ready",
    columns: ["model", "due_at", "task"],
    nulls: ["lease", "start_tag"],
  },
  ready_held: { on: "ready", columns: ["lease"], notNulls: ["lease"] },
  ready_end: { on: "ready", columns: ["end_by"] },
  retention_due: { on: "retention", columns: ["due_at"] },
  idempotency_task: { on: "idempotency", columns: ["task"] },
  idempotency_used: { on: "idempotency", columns: ["used_at"] },
}

export async function createInitialSchema(
  db: Kysely<unknown>,
  dialect: StoreDialect,
): Promise<void> {
  for (const [name, table] of Object.entries(TABLES)) await createTable(db, dialect, name, table)
  for (const [name, index] of Object.entries(INDEXES)) await createIndex(db, name, index)
  for (const statement of dialect.makeAppendOnly("events")) await statement.execute(db)
}

async function createTable(
  db: Kysely<unknown>,
  dialect: StoreDialect,
  name: string,
  { columns, key, isWide }: TableShape,
): Promise<void> {
  const types = { id: dialect.idType, text: "text", integer: dialect.integerType } as const
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name)
  for (const [column, kind] of Object.entries(columns)) {
    const type = typeof kind === "object" ? kind.type : kind.replace("?", "")
    table = table.addColumn(column, types[type as keyof typeof types], (built) => {
      if (typeof kind === "object") return built.notNull().defaultTo(sql.lit(kind.defaultTo))
      return kind.endsWith("?") ? built : built.notNull()
    })
  }
  await table
    .addPrimaryKeyConstraint(`${name}_key`, [...key])
    .modifyEnd(isWide === true ? dialect.wideTable : dialect.keyedTable)
    .execute()
}

async function createIndex(
  db: Kysely<unknown>,
  name: string,
  { on, columns, nulls = [], notNulls = [] }: IndexShape,
): Promise<void> {
  let index = db.schema
    .createIndex(name)
    .on(on)
    .columns<string>([...columns])
  for (const column of nulls) index = index.where(sql.ref(column), "is", null)
  for (const column of notNulls) index = index.where(sql.ref(column), "is not", null)
  await index.execute()
}
