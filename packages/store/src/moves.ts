/**
 * Transfers: those that are recorded, and the side records of tasks. Restoring
 * takes nothing back: a key that stands for a task stays, an epoch never falls.
 */
import type { Belongings, Move, MoveStorage } from "@safelight/core"
import { sql } from "kysely"
import { ADMISSION_STATEMENTS } from "./admission.ts"
import { toStep, type Connections } from "./driver.ts"
import { describeStatements, type Compiler } from "./statement.ts"
import { allOf, TABLES, type IdempotencyRow, type StoreDatabase } from "./tables.ts"

export const MOVE_STATEMENTS = describeStatements(({ db, compile }) => ({
  listMoves: compile(() => db.selectFrom("moves").select(TABLES.moves.members).orderBy("id")),
  /** Replaces what stands under the id. */
  setMove: compile((move: Move) =>
    db
      .insertInto("moves")
      .values(allOf(TABLES.moves, move))
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet({ state: move.state, at: move.at }),
      ),
  ),
  dropMove: compile(({ id }: { id: string }) => db.deleteFrom("moves").where("id", "=", id)),
  /** What belongs to a task, of one moment: inputs, uses of keys and epochs in the same columns. */
  findBelongings: compile(({ task }: { task: string }) =>
    db
      .selectFrom("inputs")
      .select([sql<string>`'input'`.as("kind"), "name", "salt as detail", "body"])
      .select(sql<number>`0`.as("count"))
      .where("task", "=", task)
      .unionAll(
        db
          .selectFrom("idempotency")
          .select([sql<string>`'use'`.as("kind"), "key as name", "fingerprint as detail"])
          .select([sql<string>`''`.as("body"), "usedAt as count"])
          .where("task", "=", task),
      )
      .unionAll(
        db
          .selectFrom("linkEpochs")
          .select([sql<string>`'epoch'`.as("kind"), "key as name", sql<string>`''`.as("detail")])
          .select([sql<string>`''`.as("body"), "epoch as count"])
          .where("task", "=", task),
      ),
  ),
  /** Changes no row where the key is in use. */
  restoreIdempotency: compile((use: IdempotencyRow) =>
    db
      .insertInto("idempotency")
      .values(allOf(TABLES.idempotency, use))
      .onConflict((conflict) => conflict.columns(["account", "key"]).doNothing()),
  ),
  restoreArtifactEpoch: compile((epoch: StoreDatabase["linkEpochs"]) =>
    db
      .insertInto("linkEpochs")
      .values(allOf(TABLES.linkEpochs, epoch))
      .onConflict((conflict) =>
        conflict
          .columns(["task", "key"])
          .doUpdateSet((of) => ({ epoch: of.ref("excluded.epoch") }))
          .whereRef("linkEpochs.epoch", "<", "excluded.epoch"),
      ),
  ),
  /** Changes no row of an account that is not there. */
  restoreAccountEpoch: compile(({ account, epoch }: { account: string; epoch: number }) =>
    db
      .updateTable("accounts")
      .set({ linkEpoch: epoch })
      .where("id", "=", account)
      .where("linkEpoch", "<", epoch),
  ),
}))

export function createMoveMethods({ read, commit }: Connections, compiler: Compiler): MoveStorage {
  const statements = MOVE_STATEMENTS(compiler)
  const { findIdempotency } = ADMISSION_STATEMENTS(compiler)
  return {
    listMoves: () => read(statements.listMoves, {}),
    async setMove(move) {
      await commit({ steps: [toStep(statements.setMove, move)] })
    },
    async dropMove(id) {
      await commit({ steps: [toStep(statements.dropMove, { id })] })
    },
    async readBelongings(task) {
      return toBelongings(task, await read(statements.findBelongings, { task }))
    },
    async restoreIdempotency({ account, task, use }) {
      const row = { account, task, ...use }
      await commit({ steps: [toStep(statements.restoreIdempotency, row)] })
      const [known] = await read(findIdempotency, { account, key: use.key })
      return known?.task === task
    },
    async restoreLinkEpoch({ scope, epoch }) {
      const step =
        scope.kind === "account"
          ? toStep(statements.restoreAccountEpoch, { account: scope.account, epoch })
          : toStep(statements.restoreArtifactEpoch, { task: scope.task, key: scope.key, epoch })
      await commit({ steps: [step] })
    },
  }
}

interface BelongingRow {
  readonly kind: string
  readonly name: string
  readonly detail: string
  readonly body: string
  readonly count: number
}

function toBelongings(task: string, found: readonly BelongingRow[]): Belongings {
  const rows = found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    inputs: ofKind("input").map(({ name, detail: salt, body }) => ({ task, name, salt, body })),
    idempotency: ofKind("use").map(({ name: key, detail: fingerprint, count: usedAt }) => ({
      key,
      fingerprint,
      usedAt,
    })),
    linkEpochs: ofKind("epoch").map(({ name: key, count: epoch }) => ({ key, epoch })),
  }
}
