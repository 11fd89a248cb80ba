/**
 * What an append runs: first the version check, as one statement that changes a row only where
 * the task stands at the expected version, then everything else. An append that fails the check
 * has changed nothing and needs no undoing.
 */
import type { Kysely } from "kysely"
import type {
  AccountTotalsTable,
  ArtifactsTable,
  ChargesTable,
  EventsTable,
  InputsTable,
  OutcomesTable,
  ReadyTable,
  StoreDatabase,
  TasksTable,
} from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface AppendStatements {
  /** The check of a new task: adds its row where there is none. */
  readonly insertTask: Statement
  /** The check of a task whose newest event has `expected_hash`: replaces its row. */
  readonly updateTask: Statement
  /** The hash of one event: whether an append that failed the check is stored already. */
  readonly findEventHash: Statement
  readonly insertEvent: Statement
  readonly insertArtifact: Statement
  readonly insertCharge: Statement
  readonly insertOutcome: Statement
  /** Changes no row of an account whose totals are not kept. */
  readonly addTotals: Statement
  /** Keeps what is stored under the name: an input never changes, it is only erased. */
  readonly insertInput: Statement
  /** Erases every input of a task. */
  readonly eraseInputs: Statement
  readonly enqueue: Statement
  readonly reschedule: Statement
  readonly dequeue: Statement
  readonly retain: Statement
  readonly dropRetention: Statement
}

export function compileAppendStatements(db: Kysely<StoreDatabase>): AppendStatements {
  return { ...compileTaskStatements(db), ...compilePlaceStatements(db) }
}

type PlaceStatement = "enqueue" | "reschedule" | "dequeue" | "retain" | "dropRetention"

function compileTaskStatements(db: Kysely<StoreDatabase>): Omit<AppendStatements, PlaceStatement> {
  const { id, finished_at, hash, snapshot, status, version } = TASK
  const { expected_hash } = placeholders<{ expected_hash: string }>("expected_hash")
  const newest = placeholders<EventsTable>("task", "version")
  return {
    insertTask: compile(
      db
        .insertInto("tasks")
        .values(TASK)
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    updateTask: compile(
      db
        .updateTable("tasks")
        // What never changes stays unnamed: SQLite rewrites an index of every column that is set.
        .set({ finished_at, hash, snapshot, status, version })
        .where("id", "=", id)
        .where("hash", "=", expected_hash),
    ),
    findEventHash: compile(
      db
        .selectFrom("events")
        .select("hash")
        .where("task", "=", newest.task)
        .where("version", "=", newest.version),
    ),
    insertEvent: compile(db.insertInto("events").values(EVENT)),
    insertArtifact: compile(db.insertInto("artifacts").values(ARTIFACT)),
    insertCharge: compile(db.insertInto("charges").values(CHARGE)),
    insertOutcome: compile(db.insertInto("outcomes").values(OUTCOME)),
    addTotals: compile(
      db
        .updateTable("account_totals")
        .set((of) => ({
          charged_micros: of("charged_micros", "+", TOTALS.charged_micros),
          reserved_micros: of("reserved_micros", "+", TOTALS.reserved_micros),
          unfinished_tasks: of("unfinished_tasks", "+", TOTALS.unfinished_tasks),
        }))
        .where("account", "=", TOTALS.account),
    ),
    insertInput: compile(
      db
        .insertInto("inputs")
        .values(INPUT)
        .onConflict((conflict) => conflict.columns(["task", "name"]).doNothing()),
    ),
    eraseInputs: compile(db.deleteFrom("inputs").where("task", "=", INPUT.task)),
  }
}

function compilePlaceStatements(db: Kysely<StoreDatabase>): Pick<AppendStatements, PlaceStatement> {
  const { task, due_at, claim } = PLACE
  return {
    enqueue: compile(
      db
        .insertInto("ready")
        .values(PLACE)
        .onConflict((conflict) =>
          conflict.column("task").doUpdateSet((of) => ({
            account: of.ref("excluded.account"),
            model: of.ref("excluded.model"),
            end_by: of.ref("excluded.end_by"),
            due_at: of.ref("excluded.due_at"),
            claim: of.ref("excluded.claim"),
            turn: of.ref("excluded.turn"),
          })),
        ),
    ),
    reschedule: compile(
      db
        .updateTable("ready")
        .set((of) => ({ due_at, claim, turn: of.lit(null) }))
        .where("task", "=", task),
    ),
    dequeue: compile(db.deleteFrom("ready").where("task", "=", task)),
    retain: compile(
      db
        .insertInto("retention")
        .values({ task, due_at })
        .onConflict((conflict) =>
          conflict.column("task").doUpdateSet((of) => ({ due_at: of.ref("excluded.due_at") })),
        ),
    ),
    dropRetention: compile(db.deleteFrom("retention").where("task", "=", task)),
  }
}

const TASK = placeholders<TasksTable>(
  "id",
  "account",
  "created_at",
  "finished_at",
  "hash",
  "model",
  "reservation_micros",
  "snapshot",
  "status",
  "version",
)

const EVENT = placeholders<EventsTable>("task", "version", "at", "data", "hash", "schema", "type")

const ARTIFACT = placeholders<ArtifactsTable>(
  "task",
  "position",
  "bytes",
  "duration_ms",
  "expires_at",
  "expiry_hidden",
  "key",
  "mime_type",
  "locator",
  "sha256",
  "type",
)

const CHARGE = placeholders<ChargesTable>(
  "task",
  "account",
  "at",
  "billed_input_ms",
  "charge_micros",
  "images",
  "model",
  "output_video_ms",
  "price_version",
)

const OUTCOME = placeholders<OutcomesTable>(
  "task",
  "attempt",
  "at",
  "channel",
  "charge_micros",
  "cost_micros",
  "cost_source",
  "dispatched_at",
  "model",
  "outcome",
)

const TOTALS = placeholders<AccountTotalsTable>(
  "account",
  "charged_micros",
  "reserved_micros",
  "unfinished_tasks",
)

const INPUT = placeholders<InputsTable>("task", "name", "salt", "body")

const PLACE = placeholders<ReadyTable>(
  "task",
  "account",
  "model",
  "due_at",
  "end_by",
  "claim",
  "turn",
)
