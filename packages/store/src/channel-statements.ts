/**
 * Pauses of channels, and what tasks tell of them. Which channel a task was given stands in its
 * snapshot alone, so both counts look at few tasks: those that were begun, or the newest ones by id.
 */
import { sql, type Kysely } from "kysely"
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
  /**
   * The columns of a `ChannelOutcomesRecord`, by channel, of the newest `limit` tasks from `from_id` on
   * that were created at `created_since` or later.
   */
  readonly sumOutcomes: Statement
}

interface OutcomeValues {
  readonly created_since: number
  readonly from_id: string
  readonly limit: number
}

const PAUSE = placeholders<PausedChannelsTable>("channel", "paused_at")
const VALUES = placeholders<OutcomeValues>("created_since", "from_id", "limit")

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
  // Begun: held by a claim, or free without a turn. Each part is read along an index of its own.
  const held = db.selectFrom("ready").select("task").where("claim", "is not", null)
  const free = db
    .selectFrom("ready")
    .select("task")
    .where("claim", "is", null)
    .where("turn", "is", null)
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

function compileOutcomes(db: Kysely<StoreDatabase>, dialect: StoreDialect): Statement {
  const { created_since, from_id, limit } = VALUES
  const { integerType } = dialect
  const newest = db
    .selectFrom("tasks")
    .leftJoin("charges", "charges.task", "tasks.id")
    .select(dialect.toMemberJson("tasks.snapshot", ["dispatch", "channel"]).as("channel"))
    .select((of) => [
      "tasks.status",
      of.fn.coalesce("charges.charge_micros", of.lit(0)).as("charge_micros"),
    ])
    .where("tasks.id", ">=", from_id)
    .where("tasks.created_at", ">=", created_since)
    .orderBy("tasks.id", "desc")
    .limit(limit)
  return compile(
    db
      .selectFrom(newest.as("newest"))
      .select((of) => [
        "channel",
        of.cast<number>(of.fn.countAll(), integerType).as("looked_at"),
        of
          .cast<number>(
            of.fn.countAll().filterWhere("status", "=", sql.lit("succeeded")),
            integerType,
          )
          .as("succeeded"),
        of
          .cast<number>(of.fn.countAll().filterWhere("status", "=", sql.lit("failed")), integerType)
          .as("failed"),
        of
          .cast<number>(of.fn.coalesce(of.fn.sum("charge_micros"), of.lit(0)), integerType)
          .as("charge_micros"),
      ])
      .groupBy("channel"),
  )
}
