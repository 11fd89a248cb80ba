/**
 * Figures for operators. They are all read over the connection of long reads, so that no look-up waits for them. An
 * account's name is in `tasks` alone, so only sums that ask for it join that table.
 */
import {
  OUTCOME_GROUPINGS,
  type InsightStorage,
  type OutcomeGrouping,
  type OutcomeSums,
} from "@safelight/core"
import { sql, type Expression, type RawBuilder } from "kysely"
import type { Database } from "./sql/driver.ts"
import { createKeptSumsMethod, KEPT_SUMS_STATEMENTS } from "./kept-sums.ts"
import {
  addUp,
  HOUR_MS,
  SUMS,
  sumByHour,
  toHourlyPeriod,
  toSums,
  type HourlyPeriod,
} from "./outcome-sums.ts"
import { describeStatements, type Compiler, type Statement } from "./sql/statement.ts"

const DAY_MS = 86_400_000

type Groups = HourlyPeriod & { readonly account: string; readonly limit: number }

/** What a group of outcomes is known by: a day by its number since 1970, anything else by its name. */
const KEYS: Readonly<Record<OutcomeGrouping, RawBuilder<string | number>>> = {
  day: sql<number>`outcomes.at / ${sql.lit(DAY_MS)}`,
  model: sql<string>`outcomes.model`,
  channel: sql<string>`outcomes.channel`,
  account: sql<string>`tasks.account`,
}

/** The same of sums by hour, which have no account. */
const SUMMED_KEYS: Readonly<Partial<typeof KEYS>> = {
  day: sql<number>`hour / ${sql.lit(DAY_MS / HOUR_MS)}`,
  model: sql<string>`model`,
  channel: sql<string>`channel`,
}

/** A group of outcomes, its name as `KEYS` has it. */
interface Group extends OutcomeSums {
  readonly key: string | number
}

/** With `isOfAccount` of the tasks of `account` alone. */
function compileGroups(compiler: Compiler, by: OutcomeGrouping, isOfAccount: boolean) {
  const { compile, db } = compiler
  const summedKey = isOfAccount ? undefined : SUMMED_KEYS[by]
  const groupSums = (request: Groups, key: (typeof KEYS)["day"]) =>
    db
      .selectFrom(sumByHour(compiler, request, false))
      .select([key.as("key"), ...addUp(compiler, SUMS)])
      .groupBy(sql`1`)
  const groupOutcomes = ({ account, from, to }: Groups) =>
    db
      .selectFrom("outcomes")
      .innerJoin("tasks", "tasks.task", "outcomes.task")
      .select([KEYS[by].as("key"), ...toSums(compiler)])
      .where("outcomes.at", ">=", from)
      .where("outcomes.at", "<", to)
      .$if(isOfAccount, (of) => of.where("tasks.account", "=", account))
      .groupBy(sql`1`)
  return compile((request: Groups) => {
    const groups: Expression<Group> =
      summedKey === undefined ? groupOutcomes(request) : groupSums(request, summedKey)
    return db
      .selectFrom(sql<Group>`${groups}`.as("groups"))
      .select(["key", ...SUMS])
      .$if(by !== "day", (of) => of.orderBy("chargeMicros", "desc"))
      .orderBy("key")
      .limit(request.limit)
  })
}

const GROUPS = describeStatements((compiler) => {
  const compileAll = (isOfAccount: boolean) =>
    new Map(OUTCOME_GROUPINGS.map((by) => [by, compileGroups(compiler, by, isOfAccount)]))
  return { group: compileAll(false), groupOfAccount: compileAll(true) }
})

const HOURS = describeStatements((compiler) => {
  const { compile, db } = compiler
  return {
    listHours: compile((period: HourlyPeriod) =>
      db
        .selectFrom(sumByHour(compiler, period, true))
        .select(["channel", "hour", ...addUp(compiler, SUMS)])
        .select([
          sql<number | null>`max(p50_ms)`.as("p50Ms"),
          sql<number | null>`max(p95_ms)`.as("p95Ms"),
        ])
        .groupBy(["channel", "hour"])
        .orderBy("channel")
        .orderBy("hour"),
    ),
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
  ...KEPT_SUMS_STATEMENTS(compiler),
}))

export function createInsightMethods(
  database: Database,
  compiler: Compiler,
): Omit<InsightStorage, "listAllTasks"> {
  const statements = INSIGHT_STATEMENTS(compiler)
  const { readLong } = database
  return {
    ...createKeptSumsMethod(database, compiler),
    async groupOutcomes({ by, account, from, limit, to }) {
      const shapes = account === undefined ? statements.group : statements.groupOfAccount
      const values = { ...toHourlyPeriod({ from, to }), limit, account: account ?? "" }
      const rows = await readLong(requireShape(shapes.get(by)), values)
      return rows.map(({ key, ...sums }) => ({ name: toName(key), ...sums }))
    },
    async listChannelHours(period) {
      const rows = await readLong(statements.listHours, toHourlyPeriod(period))
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
