/**
 * What decides whether a task is admitted, and what remembers that it was. The checks are read in
 * the transaction that then adds the task: each returns a row only where it stops the admission.
 */
import { sql, type Kysely } from "kysely"
import type { IdempotencyTable, StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface AdmissionStatements {
  /** task, fingerprint: what `key` of `account` stands for. */
  readonly findIdempotency: Statement
  /**
   * The bound of `account` that leaves no room for a task of `reservation_micros`: `budget`, or
   * `unfinished-tasks`.
   */
  readonly findFullBound: Statement
  readonly insertIdempotency: Statement
  /** Forgets the key that stands for `task`. */
  readonly eraseIdempotency: Statement
  /** Forgets up to `limit` keys used before `used_at`, the oldest first. */
  readonly forgetIdempotency: Statement
}

const USE = placeholders<IdempotencyTable>("account", "key", "fingerprint", "task", "used_at")

export function compileAdmissionStatements(
  db: Kysely<StoreDatabase>,
  { canSkipLocked }: StoreDialect,
): AdmissionStatements {
  const { account, key, task, used_at } = USE
  const { limit } = placeholders<{ limit: number }>("limit")
  const oldest = db
    .selectFrom("idempotency")
    .select(["account", "key"])
    .where("used_at", "<", used_at)
    .orderBy("used_at")
    .limit(limit)
    .$if(canSkipLocked, (part) => part.forUpdate().skipLocked())
    .$asTuple("account", "key")
  return {
    findIdempotency: compile(
      db
        .selectFrom("idempotency")
        .select(["task", "fingerprint"])
        .where("account", "=", account)
        .where("key", "=", key),
    ),
    findFullBound: compileFindFullBound(db),
    insertIdempotency: compile(db.insertInto("idempotency").values(USE)),
    eraseIdempotency: compile(db.deleteFrom("idempotency").where("task", "=", task)),
    forgetIdempotency: compile(
      db.deleteFrom("idempotency").where((of) => of(of.refTuple("account", "key"), "in", oldest)),
    ),
  }
}

interface BoundValues {
  readonly account: string
  readonly reservation_micros: number
}

/**
 * A bound that is null is never passed: no comparison with null holds. One whose totals are missing,
 * which only damage brings about, leaves no room at all.
 */
function compileFindFullBound(db: Kysely<StoreDatabase>): Statement {
  const { account, reservation_micros } = placeholders<BoundValues>("account", "reservation_micros")
  const most = sql.lit(Number.MAX_SAFE_INTEGER)
  const spentMicros = sql<number>`coalesce(charged_micros + reserved_micros, ${most}) + ${reservation_micros}`
  const unfinished = sql<number>`coalesce(account_totals.unfinished_tasks, ${most})`
  return compile(
    db
      .selectFrom("accounts")
      .leftJoin("account_totals", "account_totals.account", "accounts.id")
      .select((of) =>
        of
          .case()
          .when(spentMicros, ">", of.ref("accounts.budget_micros"))
          .then(sql.lit("budget"))
          .else(sql.lit("unfinished-tasks"))
          .end()
          .as("bound"),
      )
      .where("accounts.id", "=", account)
      .where((of) =>
        of.or([
          of(spentMicros, ">", of.ref("accounts.budget_micros")),
          of(unfinished, ">=", of.ref("accounts.unfinished_tasks")),
        ]),
      ),
  )
}
