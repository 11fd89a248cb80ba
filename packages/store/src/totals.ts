/**
 * The totals of an account's tasks, kept or counted. A row is kept exactly while the account has a budget or
 * a limit on unfinished tasks: `drop` and then `keep` follow every change of either, in the same commit.
 * Unfinished tasks are those in the queue.
 */
import { expressionBuilder, sql } from "kysely"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import type { StoreDatabase } from "./sql/tables.ts"

const EXPRESSION = expressionBuilder<StoreDatabase, "accounts" | "charges" | "ready" | "tasks">()

/** Whether an account's totals are kept. */
const HAS_LIMIT = EXPRESSION.or([
  EXPRESSION("accounts.budgetMicros", "is not", null),
  EXPRESSION("accounts.unfinishedTasks", "is not", null),
])

export const TOTALS_STATEMENTS = describeStatements((compiler) => {
  const { db, compile, dialect } = compiler
  const { charged, unfinished } = selectCounted(compiler)
  const tasks = EXPRESSION.cast<number>(EXPRESSION.fn.countAll(), dialect.integerType)
  const reserved = sum(compiler, "tasks.reservationMicros")
  const toLimited = (account: string) =>
    db.selectFrom("accounts").where("id", "=", account).where(HAS_LIMIT)
  return {
    /** The row of `account`, where it is kept. */
    find: compile(({ account }: { account: string }) =>
      db
        .selectFrom("accountTotals")
        .select(["chargedMicros", "reservedMicros", "unfinishedTasks"])
        .where("account", "=", account),
    ),
    /** The same, counted. One walk of the queue for both; `keep` walks it twice, once in a life. */
    count: compile(({ account }: { account: string }) =>
      unfinished
        .where("ready.account", "=", account)
        .select(reserved.as("reservedMicros"))
        .select(tasks.as("unfinishedTasks"))
        .select(charged.where("account", "=", account).$asScalar().$notNull().as("chargedMicros")),
    ),
    scan: compileScan(compiler),
    /** Removes the row of an account without limits. */
    drop: compile(({ account }: { account: string }) =>
      db
        .deleteFrom("accountTotals")
        .where("account", "=", account)
        .where((of) => of.not(of.exists(toLimited(account).select("id")))),
    ),
    /** Counts the row of an account with limits that has none; otherwise counts nothing. */
    keep: compile(({ account }: { account: string }) => {
      const own = unfinished.where("ready.account", "=", account)
      const kept = db.selectFrom("accountTotals").where("account", "=", account)
      return db
        .insertInto("accountTotals")
        .columns(["account", "chargedMicros", "reservedMicros", "unfinishedTasks"])
        .expression(
          toLimited(account)
            .select("id")
            .select([
              charged.where("account", "=", account).as("charged"),
              own.select(reserved.as("reserved")).as("reserved"),
              own.select(tasks.as("tasks")).as("tasks"),
            ])
            .where((of) => of.not(of.exists(kept.select("account")))),
        )
    }),
  }
})

/** Of every account with a limit: the totals as kept, null where the row is missing, and as counted. */
function compileScan(compiler: Compiler) {
  const { db, compile, dialect } = compiler
  const { charged, unfinished } = selectCounted(compiler)
  const tasks = EXPRESSION.cast<number>(EXPRESSION.fn.countAll(), dialect.integerType)
  const reserved = sum(compiler, "tasks.reservationMicros")
  return compile(() => {
    // Grouped once, so that no account walks the queue for itself.
    const grouped = unfinished
      .select("ready.account")
      .select(reserved.as("reserved"))
      .select(tasks.as("tasks"))
      .groupBy("ready.account")
    const ofAccount = charged.where("charges.account", "=", sql.ref<string>("accounts.id"))
    return db
      .selectFrom("accounts")
      .leftJoin("accountTotals", "accountTotals.account", "accounts.id")
      .leftJoin(grouped.as("unfinished"), "unfinished.account", "accounts.id")
      .where(HAS_LIMIT)
      .select([
        "accounts.id as account",
        "accountTotals.chargedMicros as keptCharged",
        "accountTotals.reservedMicros as keptReserved",
        "accountTotals.unfinishedTasks as keptUnfinished",
      ])
      .select((of) => [
        ofAccount.$asScalar().$notNull().as("chargedMicros"),
        of.fn.coalesce("unfinished.reserved", of.lit(0)).as("reservedMicros"),
        of.fn.coalesce("unfinished.tasks", of.lit(0)).as("unfinishedTasks"),
      ])
      .orderBy("accounts.id")
  })
}

function selectCounted(compiler: Compiler) {
  const { db } = compiler
  return {
    charged: db.selectFrom("charges").select(sum(compiler, "chargeMicros").as("charged")),
    // The cross join has SQLite begin with the queue: an account's finished tasks are far more.
    unfinished: db.selectFrom("ready").crossJoin("tasks").whereRef("tasks.task", "=", "ready.task"),
  }
}

function sum({ dialect }: Compiler, column: "chargeMicros" | "tasks.reservationMicros") {
  const of = EXPRESSION
  return of.cast<number>(of.fn.coalesce(of.fn.sum(column), of.lit(0)), dialect.integerType)
}
