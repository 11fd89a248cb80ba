/**
 * Pauses of channels, and their figures. Only a task's snapshot has its channel, so the count reads few tasks: those
 * that were begun. Attempts that ended have a table.
 */
import type { ChannelStorage, PausedChannel } from "@safelight/core"
import { sql } from "kysely"
import { addUp, sumByHour, toHourlyPeriod, type HourlyPeriod } from "./outcome-sums.ts"
import { toStep, type Database } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"

export interface Period {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** States in which a channel has the task, or may have it, as JSON. */
const IN_FLIGHT = ["dispatching", "doubtful", "running"].map((state) => JSON.stringify(state))

const PAUSES = describeStatements(({ db, compile }) => ({
  listPaused: compile(() =>
    db.selectFrom("pausedChannels").select(["channel", "pausedAt"]).orderBy("channel"),
  ),
  /** Changes no row if the channel is paused already. */
  pause: compile((pause: PausedChannel) =>
    db
      .insertInto("pausedChannels")
      .values(allOf(TABLES.pausedChannels, pause))
      .onConflict((conflict) => conflict.column("channel").doNothing()),
  ),
  resume: compile(({ channel }: { channel: string }) =>
    db.deleteFrom("pausedChannels").where("channel", "=", channel),
  ),
}))

const LOADS = describeStatements(({ db, compile, dialect }) => ({
  /** `channel` as JSON. */
  countInFlight: compile(() => {
    // Begun: held under a lease, or free without a start tag. Each part is read along an index of its own.
    const held = db.selectFrom("ready").select("task").where("lease", "is not", null)
    const free = db
      .selectFrom("ready")
      .select("task")
      .where("lease", "is", null)
      .where("startTag", "is", null)
    const asked = db
      .selectFrom(held.unionAll(free).as("begun"))
      // The cross join has SQLite begin with the queue: finished tasks are far more.
      .crossJoin("tasks")
      .select(dialect.toMemberJson("tasks.snapshot", ["dispatch", "channel"]).as("channel"))
      .whereRef("tasks.task", "=", "begun.task")
      .where("tasks.status", "=", sql.lit("running" as const))
      .where(
        dialect.toMemberJson("tasks.snapshot", ["state"]),
        "in",
        IN_FLIGHT.map((state) => sql.lit(state)),
      )
    return db
      .selectFrom(asked.as("asked"))
      .select((of) => [
        of.ref("channel").$notNull().as("channel"),
        of.cast<number>(of.fn.countAll(), dialect.integerType).as("tasks"),
      ])
      .groupBy("channel")
  }),
}))

const ADDED = [
  "succeeded",
  "failed",
  "chargeMicros",
  "toldMicros",
  "computedMicros",
  "unknown",
  "succeededMs",
] as const

const OUTCOMES = describeStatements((compiler) => {
  const { compile, db } = compiler
  return {
    /** In the order of the bytes of channel and model. */
    sumOutcomes: compile((period: HourlyPeriod) =>
      db
        .selectFrom(sumByHour(compiler, period, false))
        .select(["channel", "model", ...addUp(compiler, ADDED)])
        .select((of) => of.fn.max("longestMs").as("longestMs"))
        .groupBy(["channel", "model"])
        .orderBy("channel")
        .orderBy("model"),
    ),
  }
})

export const CHANNEL_STATEMENTS = describeStatements((compiler) => ({
  ...PAUSES(compiler),
  ...LOADS(compiler),
  ...OUTCOMES(compiler),
}))

export function createChannelMethods(
  { queue, commit, readLong }: Database,
  compiler: Compiler,
): ChannelStorage {
  const statements = CHANNEL_STATEMENTS(compiler)
  return {
    // It is read before each take from the queue.
    listPausedChannels: () => queue.read(statements.listPaused, {}),
    async pauseChannel(pause) {
      await commit({ steps: [toStep(statements.pause, pause)] })
    },
    async resumeChannel(channel) {
      await commit({ steps: [toStep(statements.resume, { channel })] })
    },
    async countInFlight() {
      const loads = await readLong(statements.countInFlight, {})
      return loads.map(({ channel, tasks }) => ({ channel: JSON.parse(channel) as string, tasks }))
    },
    sumOutcomes: (period) => readLong(statements.sumOutcomes, toHourlyPeriod(period)),
  }
}
