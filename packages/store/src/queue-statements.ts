/**
 * Who works on what: claims on `ready`. A claim is a row's `claim` until `claimed_until`; unclaimed
 * rows and run-out claims are looked for apart, since each has a partial index of its own and a
 * backlog of one must not be walked for the other.
 */
import type { Kysely } from "kysely"
import type { StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface QueueStatements {
  /**
   * Claims up to `limit` tasks of `modelCount` models (`model_0`, `model_1`…) for `claim` until
   * `claimed_until`; returns task, due_at, snapshot and hash, in no order.
   */
  readonly claim: (modelCount: number) => Statement
  /** Prolongs the claims of `tasks` that `claim` holds; returns each task. */
  readonly renew: Statement
  readonly release: Statement
  /** Ends every claim there is. */
  readonly voidClaims: Statement
  /** The earliest `due_at` of the unclaimed tasks of `modelCount` models, or null. */
  readonly findNextDueAt: (modelCount: number) => Statement
}

interface QueueValues {
  readonly claim: string
  readonly claimed_until: number
  readonly due_at: number
  readonly limit: number
  readonly now: number
  /** A list, in the form that the dialect's `toMembers` takes. */
  readonly tasks: string
}

const PLACES = placeholders<QueueValues>(
  "claim",
  "claimed_until",
  "due_at",
  "limit",
  "now",
  "tasks",
)

export function compileQueueStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): QueueStatements {
  const { claim, claimed_until, due_at, tasks } = PLACES
  const named = dialect.toMembers(tasks)
  return {
    claim: byCount((modelCount) => compileClaim(db, modelCount)),
    renew: compile(
      db
        .updateTable("ready")
        .set({ claimed_until })
        .where("claim", "=", claim)
        .where("task", "in", named)
        .returning("task"),
    ),
    release: compile(
      db
        .updateTable("ready")
        .set((of) => ({
          claim: of.lit(null),
          claimed_until: of.lit(0),
          due_at,
        }))
        .where("claim", "=", claim)
        .where("task", "in", named),
    ),
    voidClaims: compile(
      db
        .updateTable("ready")
        .set((of) => ({ claim: of.lit(null), claimed_until: of.lit(0) }))
        .where("claim", "is not", null),
    ),
    findNextDueAt: byCount((modelCount) => compileNextDueAt(db, modelCount)),
  }
}

function compileClaim(db: Kysely<StoreDatabase>, modelCount: number): Statement {
  const { claim, claimed_until, limit, now } = PLACES
  const lapsed = db
    .selectFrom("ready")
    .select(["task", "due_at"])
    .where("claim", "is not", null)
    .where("claimed_until", "<=", now)
    .where("due_at", "<=", now)
    .where("model", "in", toModels(modelCount))
  const candidates = toModels(modelCount).reduce(
    (union, model) =>
      union.unionAll(
        db
          .selectFrom(
            db
              .selectFrom("ready")
              .select(["task", "due_at"])
              .where("model", "=", model)
              .where("claim", "is", null)
              .where("due_at", "<=", now)
              .orderBy("due_at")
              .orderBy("task")
              .limit(limit)
              .as("due"),
          )
          .select(["task", "due_at"]),
      ),
    lapsed,
  )
  const chosen = db
    .selectFrom(candidates.as("candidates"))
    .select("task")
    .orderBy("due_at")
    .orderBy("task")
    .limit(limit)
  return compile(
    db
      .updateTable("ready")
      .set({ claim, claimed_until })
      .where("task", "in", chosen)
      .returning((of) => [
        "ready.task",
        "ready.due_at",
        of
          .selectFrom("tasks")
          .select("snapshot")
          .whereRef("tasks.id", "=", "ready.task")
          .as("snapshot"),
        of.selectFrom("tasks").select("hash").whereRef("tasks.id", "=", "ready.task").as("hash"),
      ]),
  )
}

function compileNextDueAt(db: Kysely<StoreDatabase>, modelCount: number): Statement {
  const [first, ...others] = toModels(modelCount).map((model) =>
    db
      .selectFrom("ready")
      .select((of) => of.fn.min("due_at").as("due_at"))
      .where("model", "=", model)
      .where("claim", "is", null),
  )
  if (first === undefined) throw new RangeError("a claim needs a model")
  const earliest = others.reduce((union, other) => union.unionAll(other), first)
  return compile(
    db.selectFrom(earliest.as("earliest")).select((of) => of.fn.min("due_at").as("due_at")),
  )
}

function toModels(modelCount: number): string[] {
  const names = Array.from({ length: modelCount }, (_, index) => `model_${index}`)
  return Object.values(placeholders<Record<string, string>>(...names))
}

/** Compiles once for every count of models that is asked for: a process asks for one or two. */
function byCount(compileFor: (count: number) => Statement): (count: number) => Statement {
  const compiled = new Map<number, Statement>()
  return (count) => {
    const known = compiled.get(count) ?? compileFor(count)
    compiled.set(count, known)
    return known
  }
}
