/**
 * Outcomes summed by hour, channel and model. The sums of an hour that is over are kept (kept-sums.ts), and a period is
 * answered by them and by the outcomes of its other hours: those that nobody has summed yet, and those of which it has
 * a part. It is one statement, so both are of one state of the database.
 */
import type { OutcomeSums } from "@safelight/core"
import {
  sql,
  type AliasedExpression,
  type AliasedRawBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
} from "kysely"
import type { Period } from "./channels.ts"
import type { Compiler } from "./sql/statement.ts"
import type { OutcomeSumsRow } from "./sql/sum-tables.ts"
import type { StoreDatabase } from "./sql/tables.ts"

export const HOUR_MS = 3_600_000

/** A period, with the hours that it has as a whole. */
export interface HourlyPeriod extends Period {
  readonly firstHour: number
  /** The one behind the last. */
  readonly endHour: number
  /** The first that begins at the period's end or later. */
  readonly behind: number
}

export function toHourlyPeriod({ from, to }: Period): HourlyPeriod {
  return {
    from,
    to,
    firstHour: Math.ceil(from / HOUR_MS),
    endHour: Math.floor(to / HOUR_MS),
    behind: Math.ceil(to / HOUR_MS),
  }
}

/** Sums over rows of `outcomes`. */
export function toSums({
  dialect,
}: Compiler): readonly AliasedRawBuilder<number, keyof OutcomeSums>[] {
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
  ]
}

/** Columns of sums that add up, by their names in core. */
export const SUMS = [
  "succeeded",
  "failed",
  "deferred",
  "chargeMicros",
  "toldMicros",
  "computedMicros",
  "unknown",
] as const satisfies readonly (keyof OutcomeSums)[]

/** Columns of rows that `sumByHour` gives, added up. */
export function addUp<Name extends keyof OutcomeSumsRow>(
  { dialect }: Compiler,
  names: readonly Name[],
): readonly AliasedRawBuilder<number, Name>[] {
  const integer = sql.raw(dialect.integerType)
  return names.map((name) => sql<number>`cast(sum(${sql.ref(name)}) as ${integer})`.as(name))
}

interface Source {
  /** What an outcome has to meet, or is joined with. */
  readonly from: RawBuilder<unknown>
  /** Whether percentiles are wanted: for them every outcome gets its place among those of its channel and hour. */
  readonly hasPercentiles: boolean
}

/** No more than is summed: all of them are put in order for percentiles. */
const COLUMNS = sql.raw(
  "channel, model, outcome, at, dispatched_at, charge_micros, cost_micros, cost_source",
)

/** Rows of `outcomes`, summed as those of `outcome_sums` are. */
export function sumOutcomes(
  compiler: Compiler,
  { from, hasPercentiles }: Source,
): SelectQueryBuilder<StoreDatabase, never, OutcomeSumsRow> {
  const { db, dialect } = compiler
  const integer = sql.raw(dialect.integerType)
  const like = sql`(partition by channel, at / ${sql.lit(HOUR_MS)}, outcome`
  const places = hasPercentiles
    ? sql`, row_number() over ${like} order by at - dispatched_at) as place, count(*) over ${like}) as counted`
    : sql``
  const elapsed = sql`(at - dispatched_at) filter (where outcome = 'succeeded'`
  const percentile = (percent: string) =>
    sql<number | null>`${
      hasPercentiles
        ? sql`max${elapsed} and place = (counted * ${sql.raw(percent)} + 99) / 100)`
        : sql`cast(null as ${integer})`
    }`
  return db
    .selectFrom(sql`(select ${COLUMNS}${places} from ${from})`.as("ended") as never)
    .select([
      sql<number>`at / ${sql.lit(HOUR_MS)}`.as("hour"),
      sql<string>`channel`.as("channel"),
      sql<string>`model`.as("model"),
      ...toSums(compiler),
      sql<number>`cast(coalesce(sum${elapsed}), 0) as ${integer})`.as("succeededMs"),
      sql<number>`coalesce(max${elapsed}), 0)`.as("longestMs"),
      percentile("50").as("p50Ms"),
      percentile("95").as("p95Ms"),
    ])
    .groupBy([sql`1`, sql`2`, sql`3`])
}

/** Sums of a period by hour, channel and model, kept ones and new ones; a row more of the same for each part of an hour. */
export function sumByHour(
  compiler: Compiler,
  period: HourlyPeriod,
  hasPercentiles: boolean,
): AliasedExpression<OutcomeSumsRow, "sums"> {
  const { db, dialect } = compiler
  const integer = sql.raw(dialect.integerType)
  const hourMs = sql.lit(HOUR_MS)
  const isKept = sql`summed_hours.summing = 0
    and summed_hours.hour >= ${period.firstHour} and summed_hours.hour < ${period.endHour}`
  // Between each kept hour and the one before lies a gap, which mostly is empty.
  const edges = sql`
    select hour, lag(hour) over (order by hour) as earlier from (
      select hour from summed_hours where ${isKept}
      union all select cast(${period.behind} as ${integer})
    ) as hours`
  const gaps = sql`
    select case when earlier is null then cast(${period.from} as ${integer})
        else (earlier + 1) * ${hourMs} end as begins,
      case when hour * ${hourMs} < ${period.to} then hour * ${hourMs} else ${period.to} end as ends
    from (${edges}) as edges where earlier is null or earlier + 1 < hour`
  const from = sql`(${gaps}) as gaps cross join outcomes
    where outcomes.at >= gaps.begins and outcomes.at < gaps.ends`
  const kept = db
    .selectFrom("summedHours")
    .crossJoin("outcomeSums")
    .whereRef("outcomeSums.hour", "=", "summedHours.hour")
    .where(sql<boolean>`${isKept}`)
    .select(["outcomeSums.hour", "channel", "model", ...SUMS])
    .select(["succeededMs", "longestMs", "p50Ms", "p95Ms"])
  return kept.unionAll(sumOutcomes(compiler, { from, hasPercentiles })).as("sums")
}
