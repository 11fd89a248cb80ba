/**
 * Who works on what. A free row of `ready` is a start, which waits for its turn, or a step, which
 * waits for its moment; each kind has a partial index of its own, since a backlog of one must not be
 * walked for the other.
 */
import type { Expression, ExpressionBuilder, Kysely, SelectQueryBuilder } from "kysely"
import type { StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { isStart, toTurnOnceFree } from "./free-turn.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface QueueStatements {
  /**
   * Claims for `claim` up to `limit` tasks of the models (`model_0`, `model_1`…) from a `QueueFront`
   * on: steps due at `now`, then starts. Returns task, due_at, turn, snapshot and hash, in no order.
   * Its values are these and, where the shape has it, the list `except_accounts`.
   */
  readonly claim: (shape: ClaimShape) => Statement
  /** Gives up those of the list `tasks` that `claim` holds: each waits for `due_at`. */
  readonly release: Statement
  /** The same, but a start keeps its turn, and waits for no moment. */
  readonly releaseInTurn: Statement
  /**
   * The columns of a `QueuePeekRecord` for the free tasks of `modelCount` models: the least due_at and
   * turn, or null, and how many are claimable at `now`, of each model and kind up to `limit`; from a
   * `QueueFront` on.
   */
  readonly peek: (modelCount: number) => Statement
  /** A `StartedTurnRecord` of the claimed tasks of `modelCount` models; walks what is claimed. */
  readonly startedTurn: (modelCount: number) => Statement
  /** The columns of a `QueueMeasureRecord`, by model; walks the queue. */
  readonly measure: Statement
}

/** Where the queue is looked at from: steps from a moment on, starts from a turn on. */
export interface QueueFront {
  /** Milliseconds of the Unix epoch. */
  readonly from_due: number
  readonly from_turn: number
}

/** Before every moment and turn. */
export const QUEUE_FRONT: QueueFront = {
  from_due: Number.MIN_SAFE_INTEGER,
  from_turn: Number.MIN_SAFE_INTEGER,
}

export interface ClaimShape {
  /** At least 1. */
  readonly modelCount: number
  /** Whether starts of `except_accounts` are left out. */
  readonly exceptsAccounts: boolean
  /** Whether every start is left out. */
  readonly exceptsStarts: boolean
}

interface QueueValues extends QueueFront {
  readonly claim: string
  readonly due_at: number
  /** Lists, in the form that the dialect's `toMembers` takes. */
  readonly except_accounts: string
  readonly tasks: string
  readonly limit: number
  readonly now: number
}

const VALUES = placeholders<QueueValues>(
  "claim",
  "due_at",
  "except_accounts",
  "from_due",
  "from_turn",
  "limit",
  "now",
  "tasks",
)

export function compileQueueStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): QueueStatements {
  return {
    claim: remember((shape) => compileClaim(db, dialect, shape), toShapeName),
    ...compileReleases(db, dialect),
    peek: remember((modelCount) => compilePeek(db, dialect, modelCount), String),
    startedTurn: remember((modelCount) => compileStartedTurn(db, modelCount), String),
    measure: compileMeasure(db, dialect),
  }
}

function compileReleases(
  db: Kysely<StoreDatabase>,
  { integerType, toMembers }: StoreDialect,
): Pick<QueueStatements, "release" | "releaseInTurn"> {
  const { claim, due_at, tasks } = VALUES
  const update = db
    .updateTable("ready")
    // A comparison that no index of PostgreSQL answers, so that tasks are found by task: all that a
    // claim ever held stays in the index by claim for as long as vacuum may not remove it.
    .where("claim", "is not distinct from", claim)
    .where("task", "in", toMembers(tasks))
  const toDueAt = (of: ExpressionBuilder<StoreDatabase, "ready">): Expression<number> =>
    of
      .case()
      .when(isStart(of))
      .then(of.ref("ready.due_at"))
      .else(of.cast<number>(of.val(due_at), integerType))
      .end()
  return {
    release: compile(update.set((of) => ({ claim: of.lit(null), turn: of.lit(null), due_at }))),
    releaseInTurn: compile(
      update.set((of) => ({
        claim: of.lit(null),
        turn: toTurnOnceFree(of),
        due_at: toDueAt(of),
      })),
    ),
  }
}

function compileClaim(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
  shape: ClaimShape,
): Statement {
  const { claim, limit } = VALUES
  const starts = shape.exceptsStarts ? [] : selectStarts(db, dialect, shape)
  const candidates = [...selectSteps(db, dialect, shape), ...starts]
  // Each is a table of its own: so it keeps its order, its limit, and its right to lock rows.
  const parts = candidates.map((part) => db.selectFrom(part.as("part")).selectAll())
  return compile(
    db
      // Once and before the update, also where its rows are locked as they are chosen.
      .with(
        (cte) => cte("chosen").materialized(),
        (of) =>
          of
            .selectFrom(unite(parts).as("candidates"))
            .select("task")
            .orderBy("rank")
            .orderBy("place")
            .orderBy("task")
            .limit(limit),
      )
      .updateTable("ready")
      .from("chosen")
      .set({ claim })
      .whereRef("ready.task", "=", "chosen.task")
      .returning((of) => [
        "ready.task",
        "ready.due_at",
        "ready.turn",
        of
          .selectFrom("tasks")
          .select("snapshot")
          .whereRef("tasks.id", "=", "ready.task")
          .as("snapshot"),
        of.selectFrom("tasks").select("hash").whereRef("tasks.id", "=", "ready.task").as("hash"),
      ]),
  )
}

/** Due steps, a select for each model: together they are no longer read in the order of an index. */
function selectSteps(db: Kysely<StoreDatabase>, dialect: StoreDialect, shape: ClaimShape) {
  const { from_due, limit, now } = VALUES
  return toModels(shape.modelCount).map((model) =>
    db
      .selectFrom("ready")
      .select((of) => ["task", of.lit<number>(0).as("rank"), of.ref("due_at").as("place")])
      .where("model", "=", model)
      .where("claim", "is", null)
      .where("turn", "is", null)
      .where("due_at", ">=", from_due)
      .where("due_at", "<=", now)
      .orderBy("due_at")
      .orderBy("task")
      .limit(limit)
      .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked()),
  )
}

/** Starts, in the same way. */
function selectStarts(db: Kysely<StoreDatabase>, dialect: StoreDialect, shape: ClaimShape) {
  const { except_accounts, from_turn, limit } = VALUES
  const starts = db
    .selectFrom("ready")
    .select((of) => ["task", of.lit<number>(1).as("rank"), of.ref("turn").$notNull().as("place")])
    .where("claim", "is", null)
    .where("turn", "is not", null)
    .where("turn", ">=", from_turn)
    .$if(shape.exceptsAccounts, (part) =>
      part.where("account", "not in", dialect.toMembers(except_accounts)),
    )
    .orderBy("turn")
    .orderBy("task")
    .limit(limit)
    .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked())
  return toModels(shape.modelCount).map((model) => starts.where("model", "=", model))
}

function compilePeek(
  db: Kysely<StoreDatabase>,
  { integerType }: StoreDialect,
  modelCount: number,
): Statement {
  const { from_due, from_turn, limit, now } = VALUES
  const free = db
    .selectFrom("ready")
    .select(["due_at", "turn"])
    .where("claim", "is", null)
    .limit(limit)
  const steps = free.where("turn", "is", null).where("due_at", ">=", from_due).orderBy("due_at")
  const starts = free.where("turn", "is not", null).where("turn", ">=", from_turn).orderBy("turn")
  const parts = toModels(modelCount)
    .flatMap((model) => [steps.where("model", "=", model), starts.where("model", "=", model)])
    .map((part) => db.selectFrom(part.as("part")).selectAll())
  return compile(
    db
      .selectFrom(unite(parts).as("front"))
      .select((of) => [
        of.fn.min("due_at").filterWhere("turn", "is", null).as("due_at"),
        of.fn.min("turn").as("turn"),
        of
          .cast<number>(
            of.fn
              .countAll()
              .filterWhere(of.or([of("turn", "is not", null), of("due_at", "<=", now)])),
            integerType,
          )
          .as("claimable"),
      ]),
  )
}

function compileStartedTurn(db: Kysely<StoreDatabase>, modelCount: number): Statement {
  return compile(
    db
      .selectFrom("ready")
      .select((of) => of.fn.max("turn").as("turn"))
      .where("claim", "is not", null)
      .where("model", "in", toModels(modelCount)),
  )
}

function compileMeasure(db: Kysely<StoreDatabase>, { integerType }: StoreDialect): Statement {
  return compile(
    db
      .selectFrom("ready")
      .select((of) => [
        "model",
        of
          .cast<number>(of.fn.countAll().filterWhere("claim", "is", null), integerType)
          .as("waiting"),
        of.cast<number>(of.fn.count("claim"), integerType).as("claimed"),
        of.fn.min("due_at").filterWhere("claim", "is", null).as("oldest_at"),
      ])
      .groupBy("model")
      .orderBy("model"),
  )
}

/** The values of the models in a statement for as many. */
export function toModelValues(models: readonly string[]): Record<string, string> {
  return Object.fromEntries(models.map((model, index) => [`model_${index}`, model]))
}

function toModels(modelCount: number): string[] {
  const names = Array.from({ length: modelCount }, (_, index) => `model_${index}`)
  return Object.values(placeholders<Record<string, string>>(...names))
}

function toShapeName({ modelCount, exceptsAccounts, exceptsStarts }: ClaimShape): string {
  return `${modelCount} ${exceptsAccounts} ${exceptsStarts}`
}

function unite<Tables, Table extends keyof Tables, Row>(
  parts: readonly SelectQueryBuilder<Tables, Table, Row>[],
): SelectQueryBuilder<Tables, Table, Row> {
  const [first, ...others] = parts
  if (first === undefined) throw new RangeError("the queue is asked for at least one model")
  return others.reduce((union, other) => union.unionAll(other), first)
}

/** Compiles once for every shape that is asked for: a process asks for a few. */
function remember<Shape>(
  compileFor: (shape: Shape) => Statement,
  toName: (shape: Shape) => string,
): (shape: Shape) => Statement {
  const compiled = new Map<string, Statement>()
  return (shape) => {
    const name = toName(shape)
    const known = compiled.get(name) ?? compileFor(shape)
    compiled.set(name, known)
    return known
  }
}
