/**
 * Figures for operators. They are all read over the connection of long reads, so that no look-up waits for them. An
 * account's name is in `tasks` alone, so only sums that ask for it join that table.
 */
import { OUTCOME_GROUPINGS, type InsightStorage, type OutcomeGrouping } from "@safelight/core"
import { sql, type RawBuilder } from "kysely"
import type { Period } from "./channels.ts"
import type { Database } from "./sql/driver.ts"
import { describeStatements, type Compiler, type Statement } from "./sql/statement.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** What a group is known by: a day by its number since 1970, anything else by its name. */
const KEYS: Readonly<Record<OutcomeGrouping, RawBuilder<string | number>>> = {
  day: sql<number>`outcomes.at / ${sql.lit(DAY_MS)}`,
  model: sql<string>`outcomes.model`,
  channel: sql<string>`outcomes.channel`,
  account: sql<string>`tasks.account`,
}

/** Ordered by the number of rows, or by their sum. */
function toSums({ dialect }: Compiler) {
  const integer = sql.raw(dialect.integerType)
  const count = (condition: string) =>
    sql<number>`cast(count(*) filter (where ${sql.raw(condition)}) as ${integer})`
  const sum = (amount: string, condition = "true") =>
    sql<number>`cast(coalesce(sum(${sql.raw(amount)}) filter (where ${sql.raw(condition)}), 0) as ${integer})`
  return [
    count("outcome = 'succeeded'").as("succeeded"),
    count("outcome = 'failed'").as("failed"),
    count("outcome = 'deferred'").as("deferred"),
    sum("charge_micros").as("chargeMicros"),
    sum("cost_micros", "cost_source = 'told'").as("toldMicros"),
    sum("cost_micros", "cost_source = 'computed'").as("computedMicros"),
    count("cost_source = 'unknown'").as("unknown"),
  ] as const
}

type Groups = Period & { readonly account: string; readonly limit: number }

/** With `isOfAccount` of the tasks of `account` alone. */
function compileGroups(compiler: Compiler, by: OutcomeGrouping, isOfAccount: boolean) {
  const { compile, db } = compiler
  return compile(({ account, from, limit, to }: Groups) =>
    db
      .selectFrom("outcomes")
      .$if(isOfAccount || by === "account", (of) =>
        of.innerJoin("tasks", "tasks.task", "outcomes.task"),
      )
      .select([KEYS[by].as("key"), ...toSums(compiler)])
      .where("outcomes.at", ">=", from)
      .where("outcomes.at", "<", to)
      .$if(isOfAccount, (of) => of.where(sql.ref("tasks.account"), "=", account))
      .groupBy(sql`1`)
      .$if(by !== "day", (of) => of.orderBy("chargeMicros", "desc"))
      .orderBy("key")
      .limit(limit),
  )
}

const GROUPS = describeStatements((compiler) => {
  const compileAll = (isOfAccount: boolean) =>
    new Map(OUTCOME_GROUPINGS.map((by) => [by, compileGroups(compiler, by, isOfAccount)]))
  return { group: compileAll(false), groupOfAccount: compileAll(true) }
})

/** Percentiles of the durations of successes. */
function toElapsed(percent: string) {
  return sql<number | null>`max(elapsed) filter
    (where outcome = 'succeeded' and place = (counted * ${sql.raw(percent)} + 99) / 100)`
}

/** The rank of each success in its group, the quickest first, so that the one at a percentile is found. */
const HOURS = describeStatements((compiler) => {
  const { compile, db } = compiler
  return {
    listHours: compile(({ from, to }: Period) => {
      const ended = db
        .selectFrom("outcomes")
        .select([
          "channel",
          "outcome",
          "chargeMicros",
          "costMicros",
          "costSource",
          sql<number>`at - dispatched_at`.as("elapsed"),
          sql<number>`at / ${sql.lit(HOUR_MS)}`.as("hour"),
        ])
        .where("at", ">=", from)
        .where("at", "<", to)
      const like = sql`partition by channel, hour, outcome`
      const placed = db
        .selectFrom(ended.as("ended"))
        .selectAll()
        .select([
          sql<number>`row_number() over (${like} order by elapsed)`.as("place"),
          sql<number>`count(*) over (${like})`.as("counted"),
        ])
      return db
        .selectFrom(placed.as("placed"))
        .select([
          "channel",
          "hour",
          ...toSums(compiler),
          toElapsed("50").as("p50Ms"),
          toElapsed("95").as("p95Ms"),
        ])
        .groupBy(["channel", "hour"])
        .orderBy("channel")
        .orderBy("hour")
    }),
  }
})

const PLACES = describeStatements(({ compile, db, dialect }) => {
  const integer = sql.raw(dialect.integerType)
  const count = (condition: string) =>
    sql<number>`cast(count(*) filter (where ${sql.raw(condition)}) as ${integer})`
  return {
    measureBacklog: compile(() =>
      db
        .selectFrom("ready")
        .select([
          count("lease is null and start_tag is not null").as("newTasks"),
          count("lease is null and start_tag is null").as("dueTasks"),
          count("lease is not null").as("heldTasks"),
          sql<number | null>`min(due_at) filter (where lease is null)`.as("oldestAt"),
        ]),
    ),
    listWaiting: compile(({ limit }: { readonly limit: number }) =>
      db
        .selectFrom("ready")
        .select(["account", sql<number>`cast(count(*) as ${integer})`.as("tasks")])
        .where("lease", "is", null)
        .groupBy("account")
        .orderBy("tasks", "desc")
        .orderBy("account")
        .limit(limit),
    ),
    countHeld: compile(() =>
      db
        .selectFrom("ready")
        .select((of) => [
          of.ref("lease").$notNull().as("lease"),
          sql<number>`cast(count(*) as ${integer})`.as("tasks"),
        ])
        .where("lease", "is not", null)
        .groupBy("lease"),
    ),
    describe: compile(() =>
      db.selectNoFrom([
        dialect.version.as("version"),
        sql<number>`(select schema_version from compatibility)`.as("schemaNumber"),
      ]),
    ),
  }
})

export const INSIGHT_STATEMENTS = describeStatements((compiler) => ({
  ...GROUPS(compiler),
  ...HOURS(compiler),
  ...PLACES(compiler),
}))

export function createInsightMethods(
  { readLong }: Database,
  compiler: Compiler,
): Omit<InsightStorage, "listAllTasks"> {
  const statements = INSIGHT_STATEMENTS(compiler)
  return {
    async groupOutcomes({ by, account, from, limit, to }) {
      const shapes = account === undefined ? statements.group : statements.groupOfAccount
      const values = { from, to, limit, account: account ?? "" }
      const rows = await readLong(requireShape(shapes.get(by)), values)
      return rows.map(({ key, ...sums }) => ({ name: toName(key), ...sums }))
    },
    async listChannelHours(period) {
      const rows = await readLong(statements.listHours, period)
      return rows.map(({ hour, ...row }) => ({ ...row, hourAt: hour * HOUR_MS }))
    },
    async measureBacklog({ accounts }) {
      const [[measured], waiting] = await Promise.all([
        readLong(statements.measureBacklog, {}),
        readLong(statements.listWaiting, { limit: accounts }),
      ])
      const nothing = { newTasks: 0, dueTasks: 0, heldTasks: 0, oldestAt: null }
      return { ...(measured ?? nothing), accounts: waiting }
    },
    async countHeld() {
      const rows = await readLong(statements.countHeld, {})
      return new Map(rows.map(({ lease, tasks }) => [lease, tasks]))
    },
    async describeDatabase() {
      const [row] = await readLong(statements.describe, {})
      const { version = "", schemaNumber = 0 } = row ?? {}
      return { kind: compiler.dialect.name, version, schema: schemaNumber }
    },
  }
}

function requireShape<Row, Values>(
  statement: Statement<Row, Values> | undefined,
): Statement<Row, Values> {
  if (statement === undefined) throw new RangeError("outcomes are grouped by nothing else")
  return statement
}

function toName(key: string | number): string {
  return typeof key === "string" ? key : new Date(key * DAY_MS).toISOString().slice(0, 10)
}
