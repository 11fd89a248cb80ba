/**
 * Keeps the sums of hours that are over. The insert of an outcome takes its hour from `summed_hours`, by a trigger: so
 * kept sums are never without it, whichever clock said that the hour is over.
 *
 *   none ─claim─▶ summing ─keep─▶ summed
 *    ▲               │               │
 *    └── an outcome ─┴───────────────┘
 *
 * An hour is claimed while nobody else writes to `summed_hours`: whoever inserts an outcome afterwards finds the row, and
 * whoever did before has committed. The outcomes are read after that, so their sums are whole if the row is still there.
 */
import type { InsightStorage } from "@safelight/core"
import { sql } from "kysely"
import type { Period } from "./channels.ts"
import { HOUR_MS, sumOutcomes } from "./outcome-sums.ts"
import { toStep, type Database } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import type { OutcomeSumsRow, SummedHour } from "./sql/sum-tables.ts"
import { allOf, TABLES } from "./sql/tables.ts"

/** A number of whoever is summing an hour; 0 is that of nobody. */
const MOST_SUMMING = 2 ** 48

export interface Unsummed {
  readonly firstHour: number
  readonly endHour: number
  readonly limit: number
}

export const KEPT_SUMS_STATEMENTS = describeStatements((compiler) => {
  const { compile, db, dialect } = compiler
  return {
    /** The first task by its id, so mostly the oldest. */
    findFirst: compile(() =>
      db
        .selectFrom("tasks")
        .select("createdAt")
        .orderBy("task")
        .limit((of) => of.lit(1)),
    ),
    /** Runs of hours that are not summed, the newest first. */
    listUnsummed: compile(({ firstHour, endHour, limit }: Unsummed) => {
      const end = sql`cast(${endHour} as ${sql.raw(dialect.integerType)})`
      const runs = sql<{ begins: number; ends: number }>`(
        select coalesce(lag(hour) over (order by hour) + 1, ${firstHour}) as begins, hour as ends from (
          select hour from summed_hours where summing = 0 and hour >= ${firstHour} and hour < ${endHour}
          union all select ${end}
        ) as hours)`
      return db
        .selectFrom(runs.as("runs"))
        .select(["begins", "ends"])
        .whereRef("begins", "<", "ends")
        .orderBy("ends", "desc")
        .limit(limit)
    }),
    claim: compile((claim: SummedHour) =>
      db
        .insertInto("summedHours")
        .values(allOf(TABLES.summedHours, claim))
        .onConflict((conflict) =>
          conflict
            .column("hour")
            .doUpdateSet({ summing: claim.summing })
            .where("summedHours.summing", "<>", sql.lit(0)),
        ),
    ),
    sum: compile(({ from, to }: Period) =>
      sumOutcomes(compiler, {
        from: sql`outcomes where at >= ${from} and at < ${to}`,
        hasPercentiles: true,
      }),
    ),
    /** Changes no row if an outcome was inserted meanwhile, or if another process claimed the hour. */
    keep: compile(({ hour, summing }: SummedHour) =>
      db
        .updateTable("summedHours")
        .set({ summing: sql.lit(0) })
        .where("hour", "=", hour)
        .where("summing", "=", summing),
    ),
    forget: compile(() => db.deleteFrom("summedHours")),
    /** Those that an outcome which came later has made wrong. */
    dropSums: compile(({ hour }: Pick<SummedHour, "hour">) =>
      db.deleteFrom("outcomeSums").where("hour", "=", hour),
    ),
    insertSums: compile((row: OutcomeSumsRow) =>
      db.insertInto("outcomeSums").values(allOf(TABLES.outcomeSums, row)),
    ),
  }
})

export function createKeptSumsMethod(
  { commit, read, readLong }: Database,
  compiler: Compiler,
): Pick<InsightStorage, "forgetSums" | "sumHours"> {
  const statements = KEPT_SUMS_STATEMENTS(compiler)

  async function listUnsummed(endHour: number, limit: number): Promise<readonly number[]> {
    const [first] = await read(statements.findFirst, {})
    if (first === undefined) return []
    const firstHour = Math.floor(first.createdAt / HOUR_MS)
    const runs = await readLong(statements.listUnsummed, { firstHour, endHour, limit })
    return runs
      .flatMap(({ begins, ends }) =>
        Array.from({ length: Math.min(limit, ends - begins) }, (_, index) => ends - 1 - index),
      )
      .slice(0, limit)
  }

  async function sumHour(claim: SummedHour): Promise<void> {
    const { hour } = claim
    const period = { from: hour * HOUR_MS, to: (hour + 1) * HOUR_MS }
    const rows = await readLong(statements.sum, period)
    const steps = [
      toStep(statements.keep, claim),
      toStep(statements.dropSums, { hour }),
      ...rows.map((row) => toStep(statements.insertSums, row)),
    ]
    await commit({ steps, isGuarded: true })
  }

  return {
    async forgetSums() {
      await commit({ steps: [toStep(statements.forget, {})] })
    },
    async sumHours({ endedBefore, limit }) {
      const hours = await listUnsummed(Math.floor(endedBefore / HOUR_MS), limit)
      if (hours.length === 0) return 0
      const summing = 1 + Math.floor(Math.random() * MOST_SUMMING)
      const claims = hours.map((hour) => ({ hour, summing }))
      const steps = claims.map((claim) => toStep(statements.claim, claim))
      await commit({ steps, alone: "summedHours" })
      // oxlint-disable-next-line no-await-in-loop -- each sum is long, and other questions come between
      for (const claim of claims) await sumHour(claim)
      return hours.length
    },
  }
}
