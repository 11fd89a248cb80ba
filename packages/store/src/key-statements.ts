/** Accounts and keys. None is hot: a key is read once and then stands in a caller's cache. */
import type { Kysely } from "kysely"
import type { KeysTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface KeyStatements {
  /** Leaves an account that exists as it is. */
  readonly insertAccount: Statement
  /** Changes no row where the key's id is taken. */
  readonly insertKey: Statement
  readonly findKey: Statement
  readonly listKeys: Statement
  /** Changes no row where the key is revoked already. */
  readonly revokeKey: Statement
}

export function compileKeyStatements(db: Kysely<StoreDatabase>): KeyStatements {
  const { id, account, created_at, revoked_at } = KEY
  return {
    insertAccount: compile(
      db
        .insertInto("accounts")
        .values({ id: account, created_at })
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    insertKey: compile(
      db
        .insertInto("keys")
        .values(KEY)
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    findKey: compile(db.selectFrom("keys").selectAll().where("id", "=", id)),
    listKeys: compile(db.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id")),
    revokeKey: compile(
      db
        .updateTable("keys")
        .set({ revoked_at })
        .where("id", "=", id)
        .where((of) => of("revoked_at", "=", of.lit(0))),
    ),
  }
}

const KEY = placeholders<KeysTable>(
  "id",
  "account",
  "created_at",
  "expires_at",
  "revoked_at",
  "scopes",
  "secret_sha256",
)
