/** API keys. None is hot: a key is read once and then stands in a caller's cache. */
import type { Kysely } from "kysely"
import type { KeysTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface KeyStatements {
  /** Changes no row where the key's id is taken. */
  readonly insertKey: Statement
  readonly findKey: Statement
  /** id, of whichever key; no row where there is none. */
  readonly findAnyKey: Statement
  readonly listKeys: Statement
  /** Changes no row where the key is revoked already. */
  readonly revokeKey: Statement
  /** secret_sha256: what tells a key from another of its id. */
  readonly findSecret: Statement
  /** Lets a key end at `expires_at` unless it ends before; changes no row of a revoked one. */
  readonly limitKey: Statement
}

export function compileKeyStatements(db: Kysely<StoreDatabase>): KeyStatements {
  const { id, expires_at, revoked_at } = KEY
  return {
    insertKey: compile(
      db
        .insertInto("keys")
        .values(KEY)
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    findKey: compile(db.selectFrom("keys").selectAll().where("id", "=", id)),
    findAnyKey: compile(
      db
        .selectFrom("keys")
        .select("id")
        .limit((of) => of.lit(1)),
    ),
    listKeys: compile(db.selectFrom("keys").selectAll().orderBy("created_at").orderBy("id")),
    revokeKey: compile(
      db
        .updateTable("keys")
        .set({ revoked_at })
        .where("id", "=", id)
        .where((of) => of("revoked_at", "=", of.lit(0))),
    ),
    findSecret: compile(db.selectFrom("keys").select("secret_sha256").where("id", "=", id)),
    limitKey: compile(
      db
        .updateTable("keys")
        .set((of) => ({
          expires_at: of
            .case()
            .when(of.and([of("expires_at", ">", of.lit(0)), of("expires_at", "<", expires_at)]))
            .then(of.ref("expires_at"))
            .else(expires_at)
            .end(),
        }))
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
