/**
 * Moving house: the moves that are recorded, and what belongs to tasks beside their log. Restoring
 * takes nothing back: a key that stands for a task stays, an epoch never falls.
 */
import type { Kysely } from "kysely"
import type {
  IdempotencyTable,
  InputsTable,
  LinkEpochsTable,
  MovesTable,
  StoreDatabase,
} from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface MoveStatements {
  readonly list: Statement
  /** Replaces what stands under the id. */
  readonly set: Statement
  readonly drop: Statement
  /** Of `task`, by name. */
  readonly findInputs: Statement
  /** Of `task`, by key. */
  readonly findIdempotency: Statement
  /** Of `task`, by key. */
  readonly findLinkEpochs: Statement
  /** Changes no row where the key is in use. */
  readonly restoreIdempotency: Statement
  readonly restoreArtifactEpoch: Statement
  /** Changes no row of an account that is not there. */
  readonly restoreAccountEpoch: Statement
}

const MOVE = placeholders<MovesTable>("id", "state", "at")
const USE = placeholders<IdempotencyTable>("account", "key", "fingerprint", "task", "used_at")
const EPOCH = placeholders<LinkEpochsTable & { account: string }>("account", "task", "key", "epoch")

export function compileMoveStatements(db: Kysely<StoreDatabase>): MoveStatements {
  const { id, state, at } = MOVE
  return {
    list: compile(db.selectFrom("moves").selectAll().orderBy("id")),
    set: compile(
      db
        .insertInto("moves")
        .values(MOVE)
        .onConflict((conflict) => conflict.column("id").doUpdateSet({ state, at })),
    ),
    drop: compile(db.deleteFrom("moves").where("id", "=", id)),
    ...compileBelongingReads(db),
    ...compileRestores(db),
  }
}

type BelongingRead = "findInputs" | "findIdempotency" | "findLinkEpochs"
type Restore = "restoreIdempotency" | "restoreArtifactEpoch" | "restoreAccountEpoch"

function compileBelongingReads(db: Kysely<StoreDatabase>): Pick<MoveStatements, BelongingRead> {
  const { task } = placeholders<InputsTable>("task")
  return {
    findInputs: compile(
      db.selectFrom("inputs").selectAll().where("task", "=", task).orderBy("name"),
    ),
    findIdempotency: compile(
      db
        .selectFrom("idempotency")
        .select(["key", "fingerprint", "used_at"])
        .where("task", "=", task)
        .orderBy("key"),
    ),
    findLinkEpochs: compile(
      db.selectFrom("link_epochs").select(["key", "epoch"]).where("task", "=", task).orderBy("key"),
    ),
  }
}

function compileRestores(db: Kysely<StoreDatabase>): Pick<MoveStatements, Restore> {
  const { account, task, key, epoch } = EPOCH
  return {
    restoreIdempotency: compile(
      db
        .insertInto("idempotency")
        .values(USE)
        .onConflict((conflict) => conflict.columns(["account", "key"]).doNothing()),
    ),
    restoreArtifactEpoch: compile(
      db
        .insertInto("link_epochs")
        .values({ task, key, epoch })
        .onConflict((conflict) =>
          conflict
            .columns(["task", "key"])
            .doUpdateSet((of) => ({ epoch: of.ref("excluded.epoch") }))
            .whereRef("link_epochs.epoch", "<", "excluded.epoch"),
        ),
    ),
    restoreAccountEpoch: compile(
      db
        .updateTable("accounts")
        .set({ link_epoch: epoch })
        .where("id", "=", account)
        .where("link_epoch", "<", epoch),
    ),
  }
}
