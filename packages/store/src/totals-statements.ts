/**
 * What an account's tasks add up to, kept or counted. A row is kept exactly while the account has
 * a budget or a bound on unfinished tasks: `drop` and `keep`, in this order behind every change of
 * the settings and in the same commit, see to that. Unfinished is what stands in the queue.
 */
import { expressionBuilder, sql, type Kysely } from "kysely"
import type { AccountTotalsTable, StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface TotalsStatements {
  /** The row of `account`, where it is kept. */
  readonly find: Statement
  /** The columns of a row for `account`, counted. */
  readonly count: Statement
  /**
   * The row of every account with a bound, its columns null where it is missing, and beside them the
   * same ones counted, as `counted_…`.
   */
  readonly scan: Statement
  /** Removes the row of an account without bounds. */
  readonly drop: Statement
  /** Counts the row of an account with bounds that has none; otherwise counts nothing. */
  readonly keep: Statement
}

const EXPRESSION = expressionBuilder<StoreDatabase, "accounts" | "charges" | "ready" | "tasks">()

/** Whether an account's totals are kept. */
const HAS_BOUND = EXPRESSION.or([
  EXPRESSION("accounts.budget_micros", "is not", null),
  EXPRESSION("accounts.unfinished_tasks", "is not", null),
])

const COLUMNS = ["charged_micros", "reserved_micros", "unfinished_tasks"] as const

export function compileTotalsStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): TotalsStatements {
  const { account } = placeholders<AccountTotalsTable>("account")
  const charged = selectCharged(db, dialect).where("account", "=", account)
  const unfinished = selectUnfinished(db).where("ready.account", "=", account)
  const reserved = unfinished.select(sum("tasks.reservation_micros", dialect).as("reserved"))
  const tasks = unfinished.select(count(dialect).as("tasks"))
  const kept = db.selectFrom("account_totals").where("account", "=", account)
  const bounded = db.selectFrom("accounts").where("id", "=", account).where(HAS_BOUND)
  return {
    find: compile(kept.selectAll()),
    // One walk of the queue for both; `keep` walks it twice, once in an account's life.
    count: compile(
      unfinished
        .select(sum("tasks.reservation_micros", dialect).as("reserved_micros"))
        .select(count(dialect).as("unfinished_tasks"))
        .select(charged.as("charged_micros")),
    ),
    scan: compileScan(db, dialect),
    drop: compile(
      db
        .deleteFrom("account_totals")
        .where("account", "=", account)
        .where((of) => of.not(of.exists(bounded.select("id")))),
    ),
    keep: compile(
      db
        .insertInto("account_totals")
        .columns(["account", ...COLUMNS])
        .expression(
          bounded
            .select("id")
            .select([charged.as("charged"), reserved.as("reserved"), tasks.as("tasks")])
            .where((of) => of.not(of.exists(kept.select("account")))),
        ),
    ),
  }
}

function compileScan(db: Kysely<StoreDatabase>, dialect: StoreDialect): Statement {
  // Grouped once, so that no account walks the queue for itself.
  const unfinished = selectUnfinished(db)
    .select("ready.account")
    .select(sum("tasks.reservation_micros", dialect).as("reserved"))
    .select(count(dialect).as("tasks"))
    .groupBy("ready.account")
  const charged = selectCharged(db, dialect).where(
    "charges.account",
    "=",
    sql.ref<string>("accounts.id"),
  )
  return compile(
    db
      .selectFrom("accounts")
      .leftJoin("account_totals", "account_totals.account", "accounts.id")
      .leftJoin(unfinished.as("unfinished"), "unfinished.account", "accounts.id")
      .where(HAS_BOUND)
      .select([
        "accounts.id as account",
        "account_totals.charged_micros",
        "account_totals.reserved_micros",
        "account_totals.unfinished_tasks",
      ])
      .select((of) => [
        charged.as("counted_charged_micros"),
        of.fn.coalesce("unfinished.reserved", of.lit(0)).as("counted_reserved_micros"),
        of.fn.coalesce("unfinished.tasks", of.lit(0)).as("counted_unfinished_tasks"),
      ])
      .orderBy("accounts.id"),
  )
}

function selectCharged(db: Kysely<StoreDatabase>, dialect: StoreDialect) {
  return db.selectFrom("charges").select(sum("charge_micros", dialect).as("charged"))
}

/** The cross join has SQLite begin with the queue: an account's finished tasks are far more. */
function selectUnfinished(db: Kysely<StoreDatabase>) {
  return db.selectFrom("ready").crossJoin("tasks").whereRef("tasks.id", "=", "ready.task")
}

function sum(column: "charge_micros" | "tasks.reservation_micros", { integerType }: StoreDialect) {
  const of = EXPRESSION
  return of.cast<number>(of.fn.coalesce(of.fn.sum(column), of.lit(0)), integerType)
}

function count({ integerType }: StoreDialect) {
  return EXPRESSION.cast<number>(EXPRESSION.fn.countAll(), integerType)
}
