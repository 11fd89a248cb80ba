/**
 * Whether a task is admitted, and the idempotency key that records it. The rule is written here once, as numbers and
 * as SQL: a limit is exceeded if an account's total and the addition are more than the limit. A limit that is null
 * is never exceeded; missing totals, which are a sign of damage, leave no room at all. The budget is checked first.
 */
import type { Admission } from "@safelight/core"
import { sql, type SqlBool } from "kysely"
import { describeStatements } from "./sql/statement.ts"
import { allOf, TABLES, type IdempotencyRow } from "./sql/tables.ts"

const ALL = Number.MAX_SAFE_INTEGER

function isPassed(has: number | null, added: number, most: number | null): boolean {
  return most !== null && (has ?? ALL) + added > most
}

/** The same of columns; null, which matches no row, if there is no limit. */
export function toPassedSql(has: string, added: string, most: string): string {
  return `coalesce(${has}, ${ALL}) + ${added} > ${most}`
}

/** An account's limits and totals: null if it has no limit, or no totals. */
export interface Room {
  readonly budgetMicros: number | null
  readonly spentMicros: number | null
  /** How many tasks may be unfinished. */
  readonly mostTasks: number | null
  readonly unfinishedTasks: number | null
}

export type Limit = Extract<Admission, { kind: "refused" }>["limit"]

/** The limit that leaves no room for one more task of `reservationMicros`, if any. */
export function findFullLimit(room: Room, reservationMicros: number): Limit | undefined {
  const { budgetMicros, spentMicros, mostTasks, unfinishedTasks } = room
  if (isPassed(spentMicros, reservationMicros, budgetMicros)) return "budget"
  return isPassed(unfinishedTasks, 1, mostTasks) ? "unfinished-tasks" : undefined
}

export interface Asked {
  readonly account: string
  readonly reservationMicros: number
}

export const ADMISSION_STATEMENTS = describeStatements(({ db, compile, dialect }) => ({
  /** The task of `key` of `account`. */
  findIdempotency: compile(({ account, key }: { account: string; key: string }) =>
    db
      .selectFrom("idempotency")
      .select(["task", "fingerprint"])
      .where("account", "=", account)
      .where("key", "=", key),
  ),
  /** No row if there is room. */
  findFullLimit: compile(({ account, reservationMicros }: Asked) => {
    const spent = "account_totals.charged_micros + account_totals.reserved_micros"
    const budget = sql.raw<SqlBool>(toPassedSql(spent, "asked.micros", "accounts.budget_micros"))
    const unfinished = "account_totals.unfinished_tasks"
    const tasks = sql.raw<SqlBool>(toPassedSql(unfinished, "1", "accounts.unfinished_tasks"))
    const micros = sql<number>`cast(${reservationMicros} as ${sql.raw(dialect.integerType)})`
    return db
      .selectFrom("accounts")
      .leftJoin("accountTotals", "accountTotals.account", "accounts.id")
      .crossJoin(db.selectNoFrom(micros.as("micros")).as("asked"))
      .select(sql<Limit>`case when ${budget} then 'budget' else 'unfinished-tasks' end`.as("limit"))
      .where("accounts.id", "=", account)
      .where((of) => of.or([budget, tasks]))
  }),
  insertIdempotency: compile((use: IdempotencyRow) =>
    db.insertInto("idempotency").values(allOf(TABLES.idempotency, use)),
  ),
  /** Forgets the key of `task`. */
  eraseIdempotency: compile(({ task }: { task: string }) =>
    db.deleteFrom("idempotency").where("task", "=", task),
  ),
  /** Forgets up to `limit` keys used before `usedBefore`, the oldest first. */
  forgetIdempotency: compile(({ usedBefore, limit }: { usedBefore: number; limit: number }) => {
    const oldest = db
      .selectFrom("idempotency")
      .select(["account", "key"])
      .where("usedAt", "<", usedBefore)
      .orderBy("usedAt")
      .limit(limit)
      .$if(dialect.canSkipLocked, (part) => part.forUpdate().skipLocked())
      .$asTuple("account", "key")
    return db
      .deleteFrom("idempotency")
      .where((of) => of(of.refTuple("account", "key"), "in", oldest))
  }),
}))
