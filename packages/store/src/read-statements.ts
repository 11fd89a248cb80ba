/**
 * What is read, by primary key or along an index. `scan…` statements read a range of task ids
 * from every table that knows tasks, so that rows whose task is gone are found too.
 */
import type { OverdueRequest, ScanRequest } from "@safelight/core"
import { sql, type Kysely } from "kysely"
import type { InputsTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface ReadStatements {
  /** snapshot, hash. */
  readonly findHead: Statement
  readonly findArtifacts: Statement
  readonly findEvents: Statement
  readonly findInput: Statement
  /** snapshot, hash, the longest overdue first. */
  readonly findOverdue: Statement
  /** snapshot, hash, the longest due first. */
  readonly findRetained: Statement
  /** Up to `limit` task ids after `after`, whichever table knows them. */
  readonly scanIds: Statement
  /** Rows of task ids past `after` up to and with `last`. */
  readonly scanTasks: Statement
  readonly scanEvents: Statement
  readonly scanArtifacts: Statement
  readonly scanCharges: Statement
  readonly scanOutcomes: Statement
}

export function compileReadStatements(db: Kysely<StoreDatabase>): ReadStatements {
  return { ...compileTaskReads(db), ...compileDueReads(db), ...compileScans(db) }
}

interface ScanValues extends ScanRequest {
  readonly last: string
}

type TaskRead = "findHead" | "findArtifacts" | "findEvents" | "findInput"
type DueRead = "findOverdue" | "findRetained"

function compileTaskReads(db: Kysely<StoreDatabase>): Pick<ReadStatements, TaskRead> {
  const { task, name } = placeholders<InputsTable>("task", "name")
  return {
    findHead: compile(db.selectFrom("tasks").select(["snapshot", "hash"]).where("id", "=", task)),
    findArtifacts: compile(
      db.selectFrom("artifacts").selectAll().where("task", "=", task).orderBy("position"),
    ),
    findEvents: compile(
      db.selectFrom("events").selectAll().where("task", "=", task).orderBy("version"),
    ),
    findInput: compile(
      db.selectFrom("inputs").selectAll().where("task", "=", task).where("name", "=", name),
    ),
  }
}

function compileDueReads(db: Kysely<StoreDatabase>): Pick<ReadStatements, DueRead> {
  const { heldUntil, now, limit } = placeholders<OverdueRequest>("heldUntil", "now", "limit")
  return {
    findOverdue: compile(
      db
        .selectFrom("ready")
        .innerJoin("tasks", "tasks.id", "ready.task")
        .select(["tasks.snapshot", "tasks.hash"])
        .where("ready.end_by", "<=", now)
        .where((of) => of.or([of("ready.lease", "is", null), of("ready.end_by", "<=", heldUntil)]))
        .orderBy("ready.end_by")
        .orderBy("ready.task")
        .limit(limit),
    ),
    findRetained: compile(
      db
        .selectFrom("retention")
        .innerJoin("tasks", "tasks.id", "retention.task")
        .select(["tasks.snapshot", "tasks.hash"])
        .where("retention.due_at", "<=", now)
        .orderBy("retention.due_at")
        .orderBy("retention.task")
        .limit(limit),
    ),
  }
}

function compileScans(db: Kysely<StoreDatabase>): Omit<ReadStatements, TaskRead | DueRead> {
  const { after, last, limit } = placeholders<ScanValues>("after", "last", "limit")
  // Each table gives its own first `limit` ids, so that no union ever walks a whole table.
  const idsOf = (table: "events" | "artifacts" | "charges" | "outcomes") =>
    db
      .selectFrom(
        db
          .selectFrom(table)
          .select("task as id")
          .distinct()
          .where("task", ">", after)
          .orderBy("task")
          .limit(limit)
          .as(`${table}_ids`),
      )
      .select("id")
  const ids = db
    .selectFrom(
      db
        .selectFrom("tasks")
        .select("id")
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .as("t"),
    )
    .select("id")
    .union(idsOf("events"))
    .union(idsOf("artifacts"))
    .union(idsOf("charges"))
    .union(idsOf("outcomes"))
  return {
    scanIds: compile(db.selectFrom(ids.as("ids")).select("id").orderBy("id").limit(limit)),
    scanTasks: compile(
      db.selectFrom("tasks").selectAll().where("id", ">", after).where("id", "<=", last),
    ),
    ...compileRowScans(db),
  }
}

type RowScan = "scanEvents" | "scanArtifacts" | "scanCharges" | "scanOutcomes"

function compileRowScans(db: Kysely<StoreDatabase>): Pick<ReadStatements, RowScan> {
  const { after, last } = placeholders<ScanValues>("after", "last")
  const rowsOf = (table: "events" | "artifacts" | "charges" | "outcomes") =>
    db.selectFrom(table).selectAll().where("task", ">", after).where("task", "<=", last)
  const inOrder = (table: "events" | "artifacts" | "outcomes", within: string) =>
    compile(rowsOf(table).orderBy("task").orderBy(sql.ref(within)))
  return {
    scanEvents: inOrder("events", "version"),
    scanArtifacts: inOrder("artifacts", "position"),
    scanCharges: compile(rowsOf("charges")),
    scanOutcomes: inOrder("outcomes", "attempt"),
  }
}
