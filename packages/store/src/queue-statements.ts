/**
 * Which lease holds which task. A row of `ready` without a lease is a new task, which waits by its start tag,
 * or a due task, which waits for its moment alone; each kind has a partial index of its own, since a
 * backlog of one must not be walked for the other. A new task may have a moment too, before which it is
 * passed over.
 */
import type { DueRequest, OverdueRequest, ReleaseRequest, TakeRequest } from "@safelight/core"
import { sql, type SelectQueryBuilder } from "kysely"
import { toTagOnceFree } from "./free-tag.ts"
import { describeStatements, type Compiler, type Statement } from "./sql/statement.ts"

/** Where a read of the queue begins: at a moment for due tasks, at a start tag for new tasks. */
export interface QueueFront {
  /** Milliseconds of the Unix epoch. */
  readonly fromDue: number
  readonly fromTag: number
}

/** Before every moment and start tag. */
export const QUEUE_FRONT: QueueFront = {
  fromDue: Number.MIN_SAFE_INTEGER,
  fromTag: Number.MIN_SAFE_INTEGER,
}

export interface TakeShape {
  /** At least 1. */
  readonly modelCount: number
  /** Whether new tasks of `exceptAccounts` are left out. */
  readonly exceptsAccounts: boolean
  /** Whether `permits` says how many new tasks of an account are taken. */
  readonly countsPermits: boolean
  /** Whether new tasks are left out of whose pool the turn has no share. */
  readonly takesTurns: boolean
  /** Whether every new task is left out. */
  readonly dueOnly: boolean
}

/** What the shape asks for. */
interface TakeLists {
  readonly exceptAccounts: readonly string[]
  /** In the form that the dialect's `toCounts` takes. */
  readonly permits: string
}

/** The models of a statement for as many. */
type ModelValues = Readonly<Record<`model${number}`, string>>

export interface PeekValues extends QueueFront, DueRequest, ModelValues {}

export interface TakeValues extends PeekValues, TakeLists {
  readonly lease: string
  readonly turnIndex: number
  readonly turnCount: number
}

const RELEASES = describeStatements(({ db, compile, members }) => {
  type Released = Pick<ReleaseRequest, "lease" | "dueAt" | "tasks">
  const toUpdate = ({ lease, tasks }: Released) =>
    db
      .updateTable("ready")
      // A comparison that no index of PostgreSQL answers, so that tasks are found by task: all that a
      // lease ever held stays in the index by lease for as long as vacuum may not remove it.
      .where("lease", "is not distinct from", lease)
      .where("task", "in", members(tasks))
  return {
    /** Gives up those of `tasks` that `lease` holds, from `dueAt` on. */
    release: compile((request: Released) =>
      toUpdate(request).set((of) => ({
        lease: of.lit(null),
        startTag: toTagOnceFree(of),
        dueAt: request.dueAt,
      })),
    ),
    /** The same, of tasks that are to be dispatched again. */
    releaseAnew: compile((request: Released) =>
      toUpdate(request).set((of) => ({
        lease: of.lit(null),
        startTag: of.fn.coalesce("ready.startTag", of.lit(0)),
        dueAt: request.dueAt,
      })),
    ),
  }
})

const LOOKS = describeStatements(({ db, compile, dialect: { integerType }, members }) => ({
  /** Of those of `accounts` that are there. */
  runningLimits: compile(({ accounts }: { readonly accounts: readonly string[] }) =>
    db.selectFrom("accounts").select(["id", "runningTasks"]).where("id", "in", members(accounts)),
  ),
  /** The longest overdue first. */
  findOverdue: compile(({ heldUntil, now, limit }: OverdueRequest) =>
    db
      .selectFrom("ready")
      .innerJoin("tasks", "tasks.task", "ready.task")
      .select(["tasks.snapshot", "tasks.hash"])
      .where("ready.endBy", "<=", now)
      .where((of) => of.or([of("ready.lease", "is", null), of("ready.endBy", "<=", heldUntil)]))
      .orderBy("ready.endBy")
      .orderBy("ready.task")
      .limit(limit),
  ),
  /** The longest due first. */
  findRetained: compile(({ now, limit }: DueRequest) =>
    db
      .selectFrom("retention")
      .innerJoin("tasks", "tasks.task", "retention.task")
      .select(["tasks.snapshot", "tasks.hash"])
      .where("retention.dueAt", "<=", now)
      .orderBy("retention.dueAt")
      .orderBy("retention.task")
      .limit(limit),
  ),
  /** By model; walks the queue. */
  measure: compile(() =>
    db
      .selectFrom("ready")
      .select((of) => [
        "model",
        of
          .cast<number>(of.fn.countAll().filterWhere("lease", "is", null), integerType)
          .as("waiting"),
        of.cast<number>(of.fn.count("lease"), integerType).as("held"),
        of.fn.min<number | null>("dueAt").filterWhere("lease", "is", null).as("oldestAt"),
      ])
      .groupBy("model")
      .orderBy("model"),
  ),
}))

export const QUEUE_STATEMENTS = describeStatements((compiler) => ({
  ...RELEASES(compiler),
  ...LOOKS(compiler),
  /**
   * Takes for `lease` up to `limit` tasks of the models from a `QueueFront` on: due tasks, then new
   * tasks. Returned in no order.
   */
  take: remember((shape: TakeShape) => compileTake(compiler, shape), toShapeName),
  /**
   * For the tasks of so many models without a lease: the least due moment and start tag, or null, and how many may
   * be taken at `now`, up to `limit` of each model and kind; from a `QueueFront` on.
   */
  peek: remember((modelCount: number) => compilePeek(compiler, modelCount), String),
  /** The highest start tag of the held tasks of so many models; walks the held tasks. */
  startedTag: remember((modelCount: number) => compileStartedTag(compiler, modelCount), String),
}))

/** How a request to take tasks is put: its shape, and the lists that the shape asks for. */
export function toTakeShape({ dueOnly = false, limit, models, permits, turn }: TakeRequest): {
  readonly shape: TakeShape
  readonly lists: TakeLists
} {
  const entries = [...(permits ?? [])]
  const exceptAccounts = entries.flatMap(([account, count]) => (count <= 0 ? account : []))
  // Those with as many as are asked for are like any other.
  const few = entries.filter(([, count]) => count > 0 && count < limit)
  const shape = {
    modelCount: models.length,
    exceptsAccounts: !dueOnly && exceptAccounts.length > 0,
    countsPermits: !dueOnly && few.length > 0,
    takesTurns: !dueOnly && turn !== undefined,
    dueOnly,
  }
  return { shape, lists: { exceptAccounts, permits: JSON.stringify(Object.fromEntries(few)) } }
}

/** The values of the models in a statement for as many. */
export function toModelValues(models: readonly string[]): ModelValues {
  return Object.fromEntries(models.map((model, index) => [`model${index}`, model]))
}

function toModels(values: ModelValues, modelCount: number): string[] {
  return Array.from({ length: modelCount }, (_, index) => values[`model${index}`] ?? "")
}

function compileTake(compiler: Compiler, shape: TakeShape) {
  const { db, compile } = compiler
  return compile((values: TakeValues) => {
    const fresh = shape.dueOnly ? [] : selectNew(compiler, shape, values)
    const found = [...selectDue(compiler, shape, values), ...fresh]
    // Each is a table of its own: so it keeps its order, its limit, and its right to lock rows.
    const parts = found.map((part) => db.selectFrom(part.as("part")).selectAll())
    return (
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
              .$if(shape.countsPermits, (chosen) => chosen.where(isPermitted(compiler, values)))
              .orderBy("rank")
              .orderBy("position")
              .orderBy("task")
              .limit(values.limit),
        )
        .updateTable("ready")
        .from("chosen")
        .set({ lease: values.lease })
        .whereRef("ready.task", "=", "chosen.task")
        .returning((of) => [
          "ready.task",
          "ready.dueAt",
          "ready.startTag",
          of
            .selectFrom("accounts")
            .select("runningTasks")
            .whereRef("accounts.id", "=", "ready.account")
            .as("runningLimit"),
          of
            .selectFrom("tasks")
            .select("snapshot")
            .whereRef("tasks.task", "=", "ready.task")
            .as("snapshot"),
          of
            .selectFrom("tasks")
            .select("hash")
            .whereRef("tasks.task", "=", "ready.task")
            .as("hash"),
        ])
    )
  })
}

/**
 * Of the candidates: due tasks, and as many new tasks of each account as `permits` says. Where the candidates
 * are an account's that has few, the next ones follow once it has none.
 */
function isPermitted({ dialect }: Compiler, { permits }: TakeValues) {
  return sql<boolean>`task in (
    select ranked.task from (
      select task, account, rank,
        row_number() over (partition by account, rank order by position, task) as number
      from candidates
    ) as ranked left join ${dialect.toCounts(permits)} as permits on permits.key = ranked.account
    where ranked.rank = 0 or permits.key is null or ranked.number <= permits.count)`
}

/** Due tasks, a select for each model: together they are no longer read in the order of an index. */
function selectDue({ db, dialect }: Compiler, { modelCount }: TakeShape, values: TakeValues) {
  const { fromDue, limit, now } = values
  return toModels(values, modelCount).map((model) =>
    db
      .selectFrom("ready")
      .select((of) => [
        "task",
        "account",
        of.lit<number>(0).as("rank"),
        of.ref("dueAt").as("position"),
      ])
      .where("model", "=", model)
      .where("lease", "is", null)
      .where("startTag", "is", null)
      .where("dueAt", ">=", fromDue)
      .where("dueAt", "<=", now)
      .orderBy("dueAt")
      .orderBy("task")
      .limit(limit)
      .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked()),
  )
}

/** New tasks, in the same way. */
function selectNew(
  { db, dialect, members }: Compiler,
  { exceptsAccounts, modelCount, takesTurns }: TakeShape,
  values: TakeValues,
) {
  const { exceptAccounts, fromTag, limit, now } = values
  const found = db
    .selectFrom("ready")
    .select((of) => [
      "task",
      "account",
      of.lit<number>(1).as("rank"),
      of.ref("startTag").$notNull().as("position"),
    ])
    .where("lease", "is", null)
    .where("startTag", "is not", null)
    .where("startTag", ">=", fromTag)
    .where("dueAt", "<=", now)
    .$if(exceptsAccounts, (part) => part.where("account", "not in", members(exceptAccounts)))
    .$if(takesTurns, (part) => part.where(hasShare(values)))
    .orderBy("startTag")
    .orderBy("task")
    .limit(limit)
    .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked())
  return toModels(values, modelCount).map((model) => found.where("model", "=", model))
}

/** Core's `toShare` of a row's pool is more than nothing. */
function hasShare({ turnCount, turnIndex }: TakeValues) {
  return sql<boolean>`(pool_size is null or (pool_number + ${turnIndex}) % ${turnCount} < pool_size)`
}

function compilePeek({ db, compile, dialect }: Compiler, modelCount: number) {
  return compile((values: PeekValues) => {
    const { fromDue, fromTag, limit, now } = values
    const free = db
      .selectFrom("ready")
      .select(["dueAt", "startTag"])
      .where("lease", "is", null)
      .limit(limit)
    const due = free.where("startTag", "is", null).where("dueAt", ">=", fromDue).orderBy("dueAt")
    const fresh = free
      .where("startTag", "is not", null)
      .where("startTag", ">=", fromTag)
      .where("dueAt", "<=", now)
      .orderBy("startTag")
    const parts = toModels(values, modelCount)
      .flatMap((model) => [due.where("model", "=", model), fresh.where("model", "=", model)])
      .map((part) => db.selectFrom(part.as("part")).selectAll())
    return db
      .selectFrom(unite(parts).as("front"))
      .select((of) => [
        of.fn.min<number | null>("dueAt").filterWhere("startTag", "is", null).as("dueAt"),
        of.fn.min("startTag").as("startTag"),
        of
          .cast<number>(of.fn.countAll().filterWhere("dueAt", "<=", now), dialect.integerType)
          .as("takeable"),
      ])
  })
}

function compileStartedTag({ db, compile }: Compiler, modelCount: number) {
  return compile((values: ModelValues) =>
    db
      .selectFrom("ready")
      .select((of) => of.fn.max("startTag").as("startTag"))
      .where("lease", "is not", null)
      .where("model", "in", toModels(values, modelCount)),
  )
}

function toShapeName(shape: TakeShape): string {
  const { countsPermits, dueOnly, exceptsAccounts, modelCount, takesTurns } = shape
  return [modelCount, exceptsAccounts, countsPermits, takesTurns, dueOnly].join(" ")
}

function unite<Tables, Name extends keyof Tables, Row>(
  parts: readonly SelectQueryBuilder<Tables, Name, Row>[],
): SelectQueryBuilder<Tables, Name, Row> {
  const [first, ...others] = parts
  if (first === undefined) throw new RangeError("the queue is asked for at least one model")
  return others.reduce((union, other) => union.unionAll(other), first)
}

/** Compiles once for every shape that is asked for: a process asks for a few. */
function remember<Shape, Compiled extends Statement>(
  compileFor: (shape: Shape) => Compiled,
  toName: (shape: Shape) => string,
): (shape: Shape) => Compiled {
  const compiled = new Map<string, Compiled>()
  return (shape) => {
    const name = toName(shape)
    const known = compiled.get(name) ?? compileFor(shape)
    compiled.set(name, known)
    return known
  }
}
