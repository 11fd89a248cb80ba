/**
 * Who works on what. A free row of `ready` is a start, which waits for its turn, or a step, which
 * waits for its moment; each kind has a partial index of its own, since a backlog of one must not be
 * walked for the other.
 */
import type { DueRequest, OverdueRequest, ReleaseRequest } from "@safelight/core"
import type { ExpressionBuilder, SelectQueryBuilder } from "kysely"
import { isStart, toTurnOnceFree } from "./free-turn.ts"
import { describeStatements, type Compiler, type Statement } from "./statement.ts"
import type { StoreDatabase } from "./tables.ts"

/** Where the queue is looked at from: steps from a moment on, starts from a turn on. */
export interface QueueFront {
  /** Milliseconds of the Unix epoch. */
  readonly fromDue: number
  readonly fromTurn: number
}

/** Before every moment and turn. */
export const QUEUE_FRONT: QueueFront = {
  fromDue: Number.MIN_SAFE_INTEGER,
  fromTurn: Number.MIN_SAFE_INTEGER,
}

export interface ClaimShape {
  /** At least 1. */
  readonly modelCount: number
  /** Whether starts of `exceptAccounts` are left out. */
  readonly exceptsAccounts: boolean
  /** Whether every start is left out. */
  readonly exceptsStarts: boolean
}

/** The models of a statement for as many. */
type ModelValues = Readonly<Record<`model${number}`, string>>

export interface PeekValues extends QueueFront, DueRequest, ModelValues {}

export interface ClaimValues extends PeekValues {
  readonly claim: string
  readonly exceptAccounts: readonly string[]
}

const RELEASES = describeStatements(({ db, compile, dialect, members }) => {
  type Released = Pick<ReleaseRequest, "claim" | "dueAt" | "tasks">
  const toUpdate = ({ claim, tasks }: Released) =>
    db
      .updateTable("ready")
      // A comparison that no index of PostgreSQL answers, so that tasks are found by task: all that a
      // claim ever held stays in the index by claim for as long as vacuum may not remove it.
      .where("claim", "is not distinct from", claim)
      .where("task", "in", members(tasks))
  const toDueAt = (of: ExpressionBuilder<StoreDatabase, "ready">, dueAt: number) =>
    of
      .case()
      .when(isStart(of))
      .then(of.ref("ready.dueAt"))
      .else(of.cast<number>(of.val(dueAt), dialect.integerType))
      .end()
  return {
    /** Gives up those of `tasks` that `claim` holds: each waits for `dueAt`. */
    release: compile((request: Released) =>
      toUpdate(request).set((of) => ({
        claim: of.lit(null),
        turn: of.lit(null),
        dueAt: request.dueAt,
      })),
    ),
    /** The same, but a start keeps its turn, and waits for no moment. */
    releaseInTurn: compile((request: Released) =>
      toUpdate(request).set((of) => ({
        claim: of.lit(null),
        turn: toTurnOnceFree(of),
        dueAt: toDueAt(of, request.dueAt),
      })),
    ),
  }
})

const DUE = describeStatements(({ db, compile, dialect: { integerType } }) => ({
  /** The longest overdue first. */
  findOverdue: compile(({ heldUntil, now, limit }: OverdueRequest) =>
    db
      .selectFrom("ready")
      .innerJoin("tasks", "tasks.id", "ready.task")
      .select(["tasks.snapshot", "tasks.hash"])
      .where("ready.endBy", "<=", now)
      .where((of) => of.or([of("ready.claim", "is", null), of("ready.endBy", "<=", heldUntil)]))
      .orderBy("ready.endBy")
      .orderBy("ready.task")
      .limit(limit),
  ),
  /** The longest due first. */
  findRetained: compile(({ now, limit }: DueRequest) =>
    db
      .selectFrom("retention")
      .innerJoin("tasks", "tasks.id", "retention.task")
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
          .cast<number>(of.fn.countAll().filterWhere("claim", "is", null), integerType)
          .as("waiting"),
        of.cast<number>(of.fn.count("claim"), integerType).as("claimed"),
        of.fn.min<number | null>("dueAt").filterWhere("claim", "is", null).as("oldestAt"),
      ])
      .groupBy("model")
      .orderBy("model"),
  ),
}))

export const QUEUE_STATEMENTS = describeStatements((compiler) => ({
  ...RELEASES(compiler),
  ...DUE(compiler),
  /**
   * Claims for `claim` up to `limit` tasks of the models from a `QueueFront` on: steps due at `now`, then
   * starts. Returned in no order.
   */
  claim: remember((shape: ClaimShape) => compileClaim(compiler, shape), toShapeName),
  /**
   * Of the free tasks of so many models: the least due moment and turn, or null, and how many are
   * claimable at `now`, of each model and kind up to `limit`; from a `QueueFront` on.
   */
  peek: remember((modelCount: number) => compilePeek(compiler, modelCount), String),
  /** The highest turn of the claimed tasks of so many models; walks what is claimed. */
  startedTurn: remember((modelCount: number) => compileStartedTurn(compiler, modelCount), String),
}))

/** The values of the models in a statement for as many. */
export function toModelValues(models: readonly string[]): ModelValues {
  return Object.fromEntries(models.map((model, index) => [`model${index}`, model]))
}

function toModels(values: ModelValues, modelCount: number): string[] {
  return Array.from({ length: modelCount }, (_, index) => values[`model${index}`] ?? "")
}

function compileClaim(compiler: Compiler, shape: ClaimShape) {
  const { db, compile } = compiler
  return compile((values: ClaimValues) => {
    const starts = shape.exceptsStarts ? [] : selectStarts(compiler, shape, values)
    const candidates = [...selectSteps(compiler, shape, values), ...starts]
    // Each is a table of its own: so it keeps its order, its limit, and its right to lock rows.
    const parts = candidates.map((part) => db.selectFrom(part.as("part")).selectAll())
    return (
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
              .limit(values.limit),
        )
        .updateTable("ready")
        .from("chosen")
        .set({ claim: values.claim })
        .whereRef("ready.task", "=", "chosen.task")
        .returning((of) => [
          "ready.task",
          "ready.dueAt",
          "ready.turn",
          of
            .selectFrom("tasks")
            .select("snapshot")
            .whereRef("tasks.id", "=", "ready.task")
            .as("snapshot"),
          of.selectFrom("tasks").select("hash").whereRef("tasks.id", "=", "ready.task").as("hash"),
        ])
    )
  })
}

/** Due steps, a select for each model: together they are no longer read in the order of an index. */
function selectSteps({ db, dialect }: Compiler, { modelCount }: ClaimShape, values: ClaimValues) {
  const { fromDue, limit, now } = values
  return toModels(values, modelCount).map((model) =>
    db
      .selectFrom("ready")
      .select((of) => ["task", of.lit<number>(0).as("rank"), of.ref("dueAt").as("place")])
      .where("model", "=", model)
      .where("claim", "is", null)
      .where("turn", "is", null)
      .where("dueAt", ">=", fromDue)
      .where("dueAt", "<=", now)
      .orderBy("dueAt")
      .orderBy("task")
      .limit(limit)
      .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked()),
  )
}

/** Starts, in the same way. */
function selectStarts(
  { db, dialect, members }: Compiler,
  { exceptsAccounts, modelCount }: ClaimShape,
  values: ClaimValues,
) {
  const { exceptAccounts, fromTurn, limit } = values
  const starts = db
    .selectFrom("ready")
    .select((of) => ["task", of.lit<number>(1).as("rank"), of.ref("turn").$notNull().as("place")])
    .where("claim", "is", null)
    .where("turn", "is not", null)
    .where("turn", ">=", fromTurn)
    .$if(exceptsAccounts, (part) => part.where("account", "not in", members(exceptAccounts)))
    .orderBy("turn")
    .orderBy("task")
    .limit(limit)
    .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked())
  return toModels(values, modelCount).map((model) => starts.where("model", "=", model))
}

function compilePeek({ db, compile, dialect }: Compiler, modelCount: number) {
  return compile((values: PeekValues) => {
    const { fromDue, fromTurn, limit, now } = values
    const free = db
      .selectFrom("ready")
      .select(["dueAt", "turn"])
      .where("claim", "is", null)
      .limit(limit)
    const steps = free.where("turn", "is", null).where("dueAt", ">=", fromDue).orderBy("dueAt")
    const starts = free.where("turn", "is not", null).where("turn", ">=", fromTurn).orderBy("turn")
    const parts = toModels(values, modelCount)
      .flatMap((model) => [steps.where("model", "=", model), starts.where("model", "=", model)])
      .map((part) => db.selectFrom(part.as("part")).selectAll())
    return db.selectFrom(unite(parts).as("front")).select((of) => {
      const claimable = of.or([of("turn", "is not", null), of("dueAt", "<=", now)])
      return [
        of.fn.min<number | null>("dueAt").filterWhere("turn", "is", null).as("dueAt"),
        of.fn.min("turn").as("turn"),
        of
          .cast<number>(of.fn.countAll().filterWhere(claimable), dialect.integerType)
          .as("claimable"),
      ]
    })
  })
}

function compileStartedTurn({ db, compile }: Compiler, modelCount: number) {
  return compile((values: ModelValues) =>
    db
      .selectFrom("ready")
      .select((of) => of.fn.max("turn").as("turn"))
      .where("claim", "is not", null)
      .where("model", "in", toModels(values, modelCount)),
  )
}

function toShapeName({ modelCount, exceptsAccounts, exceptsStarts }: ClaimShape): string {
  return `${modelCount} ${exceptsAccounts} ${exceptsStarts}`
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
