/** Link keys and epochs. The newest two keys stay; every rise of an epoch counts. */
import type { Kysely } from "kysely"
import type { LinkEpochsTable, LinkKeysTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface LinkStatements {
  /** Every key, the signing one first. */
  readonly findKeys: Statement
  /** Gives the key the highest rank; leaves a key that exists as it is. */
  readonly insertKey: Statement
  /** Removes all but the newest two. */
  readonly pruneKeys: Statement
  /** `epoch`: of the links of `task` and `key`, and of `account`, added. */
  readonly findEpoch: Statement
  /** Changes no row of an account that is not there. */
  readonly raiseAccountEpoch: Statement
  readonly raiseArtifactEpoch: Statement
}

const KEY = placeholders<LinkKeysTable>("id", "created_at", "secret")
const EPOCH = placeholders<LinkEpochsTable & { account: string }>("account", "task", "key")

export function compileLinkStatements(db: Kysely<StoreDatabase>): LinkStatements {
  const newestFirst = db.selectFrom("link_keys").orderBy("rank", "desc").orderBy("id", "desc")
  const { id, created_at, secret } = KEY
  return {
    findKeys: compile(newestFirst.selectAll()),
    insertKey: compile(
      db
        .insertInto("link_keys")
        .values((of) => ({
          id,
          created_at,
          secret,
          rank: of
            .selectFrom("link_keys")
            .select(of(of.fn.coalesce(of.fn.max("rank"), of.lit(0)), "+", of.lit(1)).as("rank")),
        }))
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    pruneKeys: compile(
      db
        .deleteFrom("link_keys")
        .where((of) => of("id", "not in", newestFirst.select("id").limit(of.lit(2)))),
    ),
    ...compileEpochStatements(db),
  }
}

type EpochStatement = "findEpoch" | "raiseAccountEpoch" | "raiseArtifactEpoch"

function compileEpochStatements(db: Kysely<StoreDatabase>): Pick<LinkStatements, EpochStatement> {
  const { account, task, key } = EPOCH
  const ofAccount = db.selectFrom("accounts").select("link_epoch").where("id", "=", account)
  const ofArtifact = db
    .selectFrom("link_epochs")
    .select("epoch")
    .where("task", "=", task)
    .where("key", "=", key)
  return {
    findEpoch: compile(
      db.selectNoFrom((of) =>
        of(of.fn.coalesce(ofAccount, of.lit(0)), "+", of.fn.coalesce(ofArtifact, of.lit(0))).as(
          "epoch",
        ),
      ),
    ),
    raiseAccountEpoch: compile(
      db
        .updateTable("accounts")
        .set((of) => ({ link_epoch: of("link_epoch", "+", of.lit(1)) }))
        .where("id", "=", account),
    ),
    raiseArtifactEpoch: compile(
      db
        .insertInto("link_epochs")
        .values((of) => ({ task, key, epoch: of.lit(1) }))
        .onConflict((conflict) =>
          conflict
            .columns(["task", "key"])
            .doUpdateSet((of) => ({ epoch: of("link_epochs.epoch", "+", of.lit(1)) })),
        ),
    ),
  }
}
