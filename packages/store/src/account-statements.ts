/**
 * Accounts, what is set for them, and what their tasks cost. None is hot: an account is read once
 * and then stands in a caller's cache.
 */
import type { Kysely } from "kysely"
import type { SettingColumn } from "./account-records.ts"
import type { AccountsTable, StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface AccountStatements {
  /** Leaves an account that exists as it is. */
  readonly insertAccount: Statement
  /** The same, and counts as a changed row in any case. */
  readonly ensureAccount: Statement
  readonly findAccount: Statement
  /** Those of the list `ids`. */
  readonly findAccounts: Statement
  readonly listAccounts: Statement
  /** Sets one column of the account `id`, by the column's name. */
  readonly set: Readonly<Record<SettingColumn, Statement>>
  /** The sums of `ChargeSumRecord` from `from_at` up to `below_at`, by model and price version, in their order. */
  readonly sumCharges: Statement
}

interface ChargesValues {
  readonly account: string
  /** Inclusive. */
  readonly from_at: number
  /** Exclusive. */
  readonly below_at: number
}

const ACCOUNT = placeholders<AccountsTable>(
  "id",
  "created_at",
  "budget_micros",
  "rates",
  "retention_ms",
  "signs_content_urls",
  "suspended_at",
  "unfinished_tasks",
  "running_tasks",
  "weight",
)

export function compileAccountStatements(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
): AccountStatements {
  const { id, created_at } = ACCOUNT
  const { ids } = placeholders<{ ids: string }>("ids")
  const compileSet = (column: SettingColumn): Statement =>
    compile(
      db
        .updateTable("accounts")
        .set({ [column]: ACCOUNT[column] })
        .where("id", "=", id),
    )
  return {
    insertAccount: compile(
      db
        .insertInto("accounts")
        .values({ id, created_at })
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    ensureAccount: compile(
      db
        .insertInto("accounts")
        .values({ id, created_at })
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet((of) => ({ id: of.ref("excluded.id") })),
        ),
    ),
    findAccount: compile(db.selectFrom("accounts").selectAll().where("id", "=", id)),
    findAccounts: compile(
      db.selectFrom("accounts").selectAll().where("id", "in", dialect.toMembers(ids)),
    ),
    listAccounts: compile(db.selectFrom("accounts").selectAll().orderBy("id")),
    set: {
      budget_micros: compileSet("budget_micros"),
      rates: compileSet("rates"),
      retention_ms: compileSet("retention_ms"),
      signs_content_urls: compileSet("signs_content_urls"),
      suspended_at: compileSet("suspended_at"),
      unfinished_tasks: compileSet("unfinished_tasks"),
      running_tasks: compileSet("running_tasks"),
      weight: compileSet("weight"),
    },
    sumCharges: compileSumCharges(db, dialect),
  }
}

function compileSumCharges(db: Kysely<StoreDatabase>, { integerType }: StoreDialect): Statement {
  const values = placeholders<ChargesValues>("account", "from_at", "below_at")
  return compile(
    db
      .selectFrom("charges")
      .select((of) => [
        "model",
        "price_version",
        of.cast<number>(of.fn.countAll(), integerType).as("tasks"),
        of.cast<number>(of.fn.sum("images"), integerType).as("images"),
        of.cast<number>(of.fn.sum("output_video_ms"), integerType).as("output_video_ms"),
        of.cast<number>(of.fn.sum("billed_input_ms"), integerType).as("billed_input_ms"),
        of.cast<number>(of.fn.sum("charge_micros"), integerType).as("charge_micros"),
      ])
      .where("account", "=", values.account)
      .where("at", ">=", values.from_at)
      .where("at", "<", values.below_at)
      .groupBy(["model", "price_version"])
      .orderBy("model")
      .orderBy("price_version"),
  )
}
