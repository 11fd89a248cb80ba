/**
 * Who works on what. A row of `ready` that nobody holds is a new task, which waits in line by its start tag,
 * or a due task, which waits for its moment alone; each kind has a partial index of its own, since a
 * backlog of one must not be walked for the other. A new task may have a moment too, before which it is
 * passed over.
 */
import type { TakeRequest } from "@safelight/core"
import { sql, type Kysely, type SelectQueryBuilder } from "kysely"
import type { StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { toTagOnceFree } from "./free-tag.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface QueueStatements {
  /**
   * Takes for `lease` up to `limit` tasks of the models (`model_0`, `model_1`…) from a `QueueFront`
   * on: due tasks, then new tasks. Returns task, due_at, start_tag, running_limit, snapshot and hash, in no
   * order. Its values are these and, where the shape has them, the list `except_accounts` and `permits`: a
   * JSON object of counts by account.
   */
  readonly take: (shape: TakeShape) => Statement
  /** Gives up those of the list `tasks` that `lease` holds, from `due_at` on. */
  readonly release: Statement
  /** The same, of tasks that are to be dispatched anew. */
  readonly releaseAnew: Statement
  /** The columns of a `RunningLimitRecord`, of the list `accounts`. */
  readonly runningLimits: Statement
  /**
   * The columns of a `QueuePeekRecord` for the tasks of `modelCount` models that nobody holds: the least
   * due_at and start_tag, or null, and how many may be taken at `now`, of each model and kind up to
   * `limit`; from a `QueueFront` on.
   */
  readonly peek: (modelCount: number) => Statement
  /** A `StartedTagRecord` of the held tasks of `modelCount` models; walks what is held. */
  readonly startedTag: (modelCount: number) => Statement
  /** The columns of a `QueueMeasureRecord`, by model; walks the queue. */
  readonly measure: Statement
}

/** Where the queue is looked at from: due tasks from a moment on, new tasks from a start tag on. */
export interface QueueFront {
  /** Milliseconds of the Unix epoch. */
  readonly from_due: number
  readonly from_tag: number
}

/** Before every moment and start tag. */
export const QUEUE_FRONT: QueueFront = {
  from_due: Number.MIN_SAFE_INTEGER,
  from_tag: Number.MIN_SAFE_INTEGER,
}

export interface TakeShape {
  /** At least 1. */
  readonly modelCount: number
  /** Whether new tasks of `except_accounts` are left out. */
  readonly exceptsAccounts: boolean
  /** Whether `permits` says how many new tasks of an account are taken. */
  readonly countsPermits: boolean
  /** Whether every new task is left out. */
  readonly dueOnly: boolean
}

interface QueueValues extends QueueFront {
  readonly lease: string
  readonly due_at: number
  /** Lists, in the form that the dialect's `toMembers` takes. */
  readonly accounts: string
  readonly except_accounts: string
  readonly tasks: string
  /** In the form that the dialect's `toCounts` takes. */
  readonly permits: string
  readonly limit: number
  readonly now: number
}

const VALUES = placeholders<QueueValues>(
  "accounts",
  "due_at",
  "except_accounts",
  "from_due",
  "from_tag",
  "lease",
  "limit",
  "now",
  "permits",
  "tasks",
)

export function compileQueueStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): QueueStatements {
  return {
    take: remember((shape) => compileTake(db, dialect, shape), toShapeName),
    ...compileReleases(db, dialect),
    runningLimits: compile(
      db
        .selectFrom("accounts")
        .select(["id", "running_tasks"])
        .where("id", "in", dialect.toMembers(VALUES.accounts)),
    ),
    peek: remember((modelCount) => compilePeek(db, dialect, modelCount), String),
    startedTag: remember((modelCount) => compileStartedTag(db, modelCount), String),
    measure: compileMeasure(db, dialect),
  }
}

function compileReleases(
  db: Kysely<StoreDatabase>,
  { toMembers }: StoreDialect,
): Pick<QueueStatements, "release" | "releaseAnew"> {
  const { due_at, lease, tasks } = VALUES
  const update = db
    .updateTable("ready")
    // A comparison that no index of PostgreSQL answers, so that tasks are found by task: all that a
    // lease ever held stays in the index by lease for as long as vacuum may not remove it.
    .where("lease", "is not distinct from", lease)
    .where("task", "in", toMembers(tasks))
  return {
    release: compile(
      update.set((of) => ({ lease: of.lit(null), start_tag: toTagOnceFree(of), due_at })),
    ),
    releaseAnew: compile(
      update.set((of) => ({
        lease: of.lit(null),
        start_tag: of.fn.coalesce("ready.start_tag", of.lit(0)),
        due_at,
      })),
    ),
  }
}

function compileTake(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
  shape: TakeShape,
): Statement {
  const { lease, limit } = VALUES
  const parts = [...selectDue(db, dialect, shape), ...selectNew(db, dialect, shape)].map((part) =>
    // A table of its own: so it keeps its order, its limit, and its right to lock rows.
    db.selectFrom(part.as("part")).selectAll(),
  )
  return compile(
    db
      .with(
        (cte) => cte("candidates").materialized(),
        () => unite(parts),
      )
      // Once and before the update, also where its rows are locked as they are chosen.
      .with(
        (cte) => cte("chosen").materialized(),
        (of) =>
          of
            .selectFrom("candidates")
            .select("task")
            .$if(shape.countsPermits, (chosen) => chosen.where(isPermitted(dialect)))
            .orderBy("rank")
            .orderBy("place")
            .orderBy("task")
            .limit(limit),
      )
      .updateTable("ready")
      .from("chosen")
      .set({ lease })
      .whereRef("ready.task", "=", "chosen.task")
      .returning((of) => [
        "ready.task",
        "ready.due_at",
        "ready.start_tag",
        of
          .selectFrom("accounts")
          .select("running_tasks")
          .whereRef("accounts.id", "=", "ready.account")
          .as("running_limit"),
        of
          .selectFrom("tasks")
          .select("snapshot")
          .whereRef("tasks.id", "=", "ready.task")
          .as("snapshot"),
        of.selectFrom("tasks").select("hash").whereRef("tasks.id", "=", "ready.task").as("hash"),
      ]),
  )
}

/**
 * Of the candidates: due tasks, and as many new tasks of each account as `permits` says. Where the candidates
 * are an account's that has few, the next ones follow once it has none.
 */
function isPermitted({ toCounts }: StoreDialect) {
  return sql<boolean>`task in (
    select ranked.task from (
      select task, account, rank,
        row_number() over (partition by account, rank order by place, task) as number
      from candidates
    ) as ranked left join ${toCounts(VALUES.permits)} as permits on permits.key = ranked.account
    where ranked.rank = 0 or permits.key is null or ranked.number <= permits.count)`
}

/** Due tasks, a select for each model: together they are no longer read in the order of an index. */
function selectDue(db: Kysely<StoreDatabase>, dialect: StoreDialect, shape: TakeShape) {
  const { from_due, limit, now } = VALUES
  return toModels(shape.modelCount).map((model) =>
    db
      .selectFrom("ready")
      .select((of) => [
        "task",
        "account",
        of.lit<number>(0).as("rank"),
        of.ref("due_at").as("place"),
      ])
      .where("model", "=", model)
      .where("lease", "is", null)
      .where("start_tag", "is", null)
      .where("due_at", ">=", from_due)
      .where("due_at", "<=", now)
      .orderBy("due_at")
      .orderBy("task")
      .limit(limit)
      .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked()),
  )
}

/** New tasks, in the same way. */
function selectNew(db: Kysely<StoreDatabase>, dialect: StoreDialect, shape: TakeShape) {
  if (shape.dueOnly) return []
  const { except_accounts, from_tag, limit, now } = VALUES
  const found = db
    .selectFrom("ready")
    .select((of) => [
      "task",
      "account",
      of.lit<number>(1).as("rank"),
      of.ref("start_tag").$notNull().as("place"),
    ])
    .where("lease", "is", null)
    .where("start_tag", "is not", null)
    .where("start_tag", ">=", from_tag)
    .where("due_at", "<=", now)
    .$if(shape.exceptsAccounts, (part) =>
      part.where("account", "not in", dialect.toMembers(except_accounts)),
    )
    .orderBy("start_tag")
    .orderBy("task")
    .limit(limit)
    .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked())
  return toModels(shape.modelCount).map((model) => found.where("model", "=", model))
}

function compilePeek(
  db: Kysely<StoreDatabase>,
  { integerType }: StoreDialect,
  modelCount: number,
): Statement {
  const { from_due, from_tag, limit, now } = VALUES
  const free = db
    .selectFrom("ready")
    .select(["due_at", "start_tag"])
    .where("lease", "is", null)
    .limit(limit)
  const due = free.where("start_tag", "is", null).where("due_at", ">=", from_due).orderBy("due_at")
  const fresh = free
    .where("start_tag", "is not", null)
    .where("start_tag", ">=", from_tag)
    .where("due_at", "<=", now)
    .orderBy("start_tag")
  const parts = toModels(modelCount)
    .flatMap((model) => [due.where("model", "=", model), fresh.where("model", "=", model)])
    .map((part) => db.selectFrom(part.as("part")).selectAll())
  return compile(
    db
      .selectFrom(unite(parts).as("front"))
      .select((of) => [
        of.fn.min("due_at").filterWhere("start_tag", "is", null).as("due_at"),
        of.fn.min("start_tag").as("start_tag"),
        of
          .cast<number>(of.fn.countAll().filterWhere("due_at", "<=", now), integerType)
          .as("takeable"),
      ]),
  )
}

function compileStartedTag(db: Kysely<StoreDatabase>, modelCount: number): Statement {
  return compile(
    db
      .selectFrom("ready")
      .select((of) => of.fn.max("start_tag").as("start_tag"))
      .where("lease", "is not", null)
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
          .cast<number>(of.fn.countAll().filterWhere("lease", "is", null), integerType)
          .as("waiting"),
        of.cast<number>(of.fn.count("lease"), integerType).as("held"),
        of.fn.min("due_at").filterWhere("lease", "is", null).as("oldest_at"),
      ])
      .groupBy("model")
      .orderBy("model"),
  )
}

/** How a request to take tasks is put: its shape, and the lists that the shape asks for. */
export function toTakeShape({ dueOnly = false, limit, models, permits }: TakeRequest): {
  readonly shape: TakeShape
  readonly lists: { readonly except: readonly string[]; readonly permits: string }
} {
  const entries = [...(permits ?? [])]
  const except = entries.flatMap(([account, count]) => (count <= 0 ? account : []))
  // Those with as many as are asked for are like any other.
  const few = entries.filter(([, count]) => count > 0 && count < limit)
  const shape = {
    modelCount: models.length,
    exceptsAccounts: !dueOnly && except.length > 0,
    countsPermits: !dueOnly && few.length > 0,
    dueOnly,
  }
  return { shape, lists: { except, permits: JSON.stringify(Object.fromEntries(few)) } }
}

/** The values of the models in a statement for as many. */
export function toModelValues(models: readonly string[]): Record<string, string> {
  return Object.fromEntries(models.map((model, index) => [`model_${index}`, model]))
}

function toModels(modelCount: number): string[] {
  const names = Array.from({ length: modelCount }, (_, index) => `model_${index}`)
  return Object.values(placeholders<Record<string, string>>(...names))
}

function toShapeName(shape: TakeShape): string {
  const { countsPermits, dueOnly, exceptsAccounts, modelCount } = shape
  return [modelCount, exceptsAccounts, countsPermits, dueOnly].join(" ")
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
