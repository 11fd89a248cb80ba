/**
 * Recorded transfers, and side records of tasks. A restore never undoes anything: a key keeps its task, and an epoch
 * never falls.
 */
import {
  fromLabelTexts,
  type SideRecords,
  type Transfer,
  type TransferStorage,
} from "@safelight/core"
import { sql } from "kysely"
import { ADMISSION_STATEMENTS } from "./admission.ts"
import { toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES, type IdempotencyRow, type StoreDatabase } from "./sql/tables.ts"

const SIDE_RECORDS = describeStatements(({ db, compile }) => ({
  /** The side records of a task at one moment: inputs, uses of keys, labels, epochs in the same columns. */
  findSideRecords: compile(({ task }: { task: string }) =>
    db
      .selectFrom("inputs")
      .select([sql<string>`'input'`.as("kind"), "name", "salt", "body"])
      .select([sql<string | null>`null`.as("fingerprint"), sql<number>`0`.as("count")])
      .where("task", "=", task)
      .unionAll(
        db
          .selectFrom("idempotency")
          .select([sql<string>`'use'`.as("kind"), "key as name", sql<string>`''`.as("salt")])
          .select([sql<string>`''`.as("body"), "fingerprint", "usedAt as count"])
          .where("task", "=", task),
      )
      .unionAll(
        db
          .selectFrom("labels")
          .select([sql<string>`'label'`.as("kind"), "label as name", sql<string>`''`.as("salt")])
          .select([sql<string>`''`.as("body"), sql<string | null>`null`.as("fingerprint")])
          .select(sql<number>`0`.as("count"))
          .where("task", "=", task),
      )
      .unionAll(
        db
          .selectFrom("linkEpochs")
          .select([sql<string>`'epoch'`.as("kind"), "key as name", sql<string>`''`.as("salt")])
          .select([sql<string>`''`.as("body"), sql<string | null>`null`.as("fingerprint")])
          .select("epoch as count")
          .where("task", "=", task),
      ),
  ),
}))

const TRANSFERS = describeStatements(({ db, compile }) => ({
  listTransfers: compile(() =>
    db.selectFrom("transfers").select(TABLES.transfers.members).orderBy("id"),
  ),
  /** Replaces what stands under the id. */
  setTransfer: compile(({ id, at, state }: Transfer) =>
    db
      .insertInto("transfers")
      .values(allOf(TABLES.transfers, { id, at, state }))
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ state, at })),
  ),
  dropTransfer: compile(({ id }: { id: string }) =>
    db.deleteFrom("transfers").where("id", "=", id),
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

export const TRANSFER_STATEMENTS = describeStatements((compiler) => ({
  ...SIDE_RECORDS(compiler),
  ...TRANSFERS(compiler),
}))

export function createTransferMethods(
  { read, commit }: Connections,
  compiler: Compiler,
): TransferStorage {
  const statements = TRANSFER_STATEMENTS(compiler)
  const { findIdempotency } = ADMISSION_STATEMENTS(compiler)
  return {
    listTransfers: () => read(statements.listTransfers, {}),
    async setTransfer(transfer) {
      await commit({ steps: [toStep(statements.setTransfer, transfer)] })
    },
    async dropTransfer(id) {
      await commit({ steps: [toStep(statements.dropTransfer, { id })] })
    },
    async readSideRecords(task) {
      return toSideRecords(task, await read(statements.findSideRecords, { task }))
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

interface SideRow {
  readonly kind: string
  readonly name: string
  readonly salt: string
  readonly body: string
  /** Of a use. */
  readonly fingerprint: string | null
  readonly count: number
}

function toSideRecords(task: string, found: readonly SideRow[]): SideRecords {
  const rows = found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    inputs: ofKind("input").map(({ name, salt, body }) => ({ task, name, salt, body })),
    labels: fromLabelTexts(ofKind("label").map(({ name }) => name)),
    idempotency: ofKind("use").map(({ name: key, fingerprint, count: usedAt }) => ({
      key,
      fingerprint: fingerprint ?? "",
      usedAt,
    })),
    linkEpochs: ofKind("epoch").map(({ name: key, count: epoch }) => ({ key, epoch })),
  }
}
