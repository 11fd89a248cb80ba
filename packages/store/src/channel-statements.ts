/**
 * Pauses of channels, and what tasks tell of them. Which channel has a task stands in its snapshot
 * alone, so the count looks at few tasks, those that were begun; of what is over there is a table.
 */
import { sql, type Expression, type Kysely } from "kysely"
import type { PausedChannelsTable, StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface ChannelStatements {
  readonly listPaused: Statement
  /** Changes no row where the channel is paused already. */
  readonly pause: Statement
  readonly resume: Statement
  /** The columns of a `ChannelLoadRecord`, by channel. */
  readonly countInFlight: Statement
  /** The columns of a `ChannelOutcomesRecord`, from `from_at` up to `below_at`, in their order. */
  readonly sumOutcomes: Statement
}

interface PeriodValues {
  /** Inclusive. */
  readonly from_at: number
  /** Exclusive. */
  readonly below_at: number
}

const PAUSE = placeholders<PausedChannelsTable>("channel", "paused_at")
const PERIOD = placeholders<PeriodValues>("from_at", "below_at")

/** States in which a channel has the task, or may have it, as JSON. */
const IN_FLIGHT = ["dispatching", "doubtful", "running"].map((state) => JSON.stringify(state))

export function compileChannelStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): ChannelStatements {
  const { channel } = PAUSE
  return {
    listPaused: compile(db.selectFrom("paused_channels").selectAll().orderBy("channel")),
    pause: compile(
      db
        .insertInto("paused_channels")
        .values(PAUSE)
        .onConflict((conflict) => conflict.column("channel").doNothing()),
    ),
    resume: compile(db.deleteFrom("paused_channels").where("channel", "=", channel)),
    countInFlight: compileInFlight(db, dialect),
    sumOutcomes: compileOutcomes(db, dialect),
  }
}

function compileInFlight(db: Kysely<StoreDatabase>, dialect: StoreDialect): Statement {
  // Begun: held under a lease, or free without a start tag. Each part is read along an index of its own.
  const held = db.selectFrom("ready").select("task").where("lease", "is not", null)
  const free = db
    .selectFrom("ready")
    .select("task")
    .where("lease", "is", null)
    .where("start_tag", "is", null)
  const asked = db
    .selectFrom(held.unionAll(free).as("begun"))
    // The cross join has SQLite begin with the queue: finished tasks are far more.
    .crossJoin("tasks")
    .select(dialect.toMemberJson("tasks.snapshot", ["dispatch", "channel"]).as("channel"))
    .whereRef("tasks.id", "=", "begun.task")
    .where("tasks.status", "=", sql.lit("running"))
    .where(
      dialect.toMemberJson("tasks.snapshot", ["state"]),
      "in",
      IN_FLIGHT.map((state) => sql.lit(state)),
    )
  return compile(
    db
      .selectFrom(asked.as("asked"))
      .select((of) => [
        "channel",
        of.cast<number>(of.fn.countAll(), dialect.integerType).as("tasks"),
      ])
      .groupBy("channel"),
  )
}

function compileOutcomes(db: Kysely<StoreDatabase>, { integerType }: StoreDialect): Statement {
  const { from_at, below_at } = PERIOD
  return compile(
    db
      .selectFrom("outcomes")
      .select((of) => {
        const count = (column: "outcome" | "cost_source", value: string) =>
          of.cast<number>(of.fn.countAll().filterWhere(column, "=", sql.lit(value)), integerType)
        const sum = (
          amount: Expression<number>,
          [column, value]: readonly ["outcome" | "cost_source", string],
        ) =>
          of.cast<number>(
            of.fn.coalesce(of.fn.sum(amount).filterWhere(column, "=", sql.lit(value)), of.lit(0)),
            integerType,
          )
        const elapsed = of("at", "-", of.ref("dispatched_at"))
        return [
          "channel",
          "model",
          count("outcome", "succeeded").as("succeeded"),
          count("outcome", "failed").as("failed"),
          of.cast<number>(of.fn.sum("charge_micros"), integerType).as("charge_micros"),
          sum(of.ref("cost_micros"), ["cost_source", "told"]).as("told_micros"),
          sum(of.ref("cost_micros"), ["cost_source", "computed"]).as("computed_micros"),
          count("cost_source", "unknown").as("unknown"),
          sum(elapsed, ["outcome", "succeeded"]).as("succeeded_ms"),
          of.fn
            .coalesce(
              of.fn.max(elapsed).filterWhere("outcome", "=", sql.lit("succeeded")),
              of.lit(0),
            )
            .as("longest_ms"),
        ]
      })
      .where("at", ">=", from_at)
      .where("at", "<", below_at)
      .groupBy(["channel", "model"])
      .orderBy("channel")
      .orderBy("model"),
  )
}
