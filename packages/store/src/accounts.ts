/**
 * Accounts, their settings, and what their tasks cost. An account's first limit has its totals counted while
 * no other transaction changes totals, so that each commit is either counted or finds the totals there.
 */
import assert from "node:assert/strict"
import { NO_LIMITS, type Account, type AccountSettings, type AccountStorage } from "@safelight/core"
import { CHARGE_LIST_STATEMENTS, createChargeListMethod } from "./charge-list.ts"
import { toStep, type Database } from "./sql/driver.ts"
import { createGatheredRead } from "./gathered-read.ts"
import { NONE_WANTED, selectLabelled, toWantedLabels, type WantedLabels } from "./labels.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES, type StoreDatabase } from "./sql/tables.ts"
import { TOTALS_STATEMENTS } from "./totals.ts"

type AccountRow = StoreDatabase["accounts"]

export interface Charges {
  readonly account: string
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

const SETTINGS = Object.keys(NO_LIMITS) as readonly (keyof AccountSettings)[]
const COLUMNS = ["id", "createdAt", ...SETTINGS] as const

/** By model and price version, in their order; `isLabelled`: of tasks with the wanted labels alone. */
function compileSum(compiler: Compiler, isLabelled: boolean) {
  const { db, compile, dialect } = compiler
  return compile((charges: Charges & WantedLabels) =>
    db
      .selectFrom("charges")
      .select((of) => [
        "model",
        "priceVersion",
        of.cast<number>(of.fn.countAll(), dialect.integerType).as("tasks"),
        of.cast<number>(of.fn.sum("images"), dialect.integerType).as("images"),
        of.cast<number>(of.fn.sum("outputVideoMs"), dialect.integerType).as("outputVideoMs"),
        of.cast<number>(of.fn.sum("outputAudioMs"), dialect.integerType).as("outputAudioMs"),
        of.cast<number>(of.fn.sum("billedInputMs"), dialect.integerType).as("billedInputMs"),
        of.cast<number>(of.fn.sum("characters"), dialect.integerType).as("characters"),
        of.cast<number>(of.fn.sum("tokens"), dialect.integerType).as("tokens"),
        of.cast<number>(of.fn.sum("chargeMicros"), dialect.integerType).as("chargeMicros"),
      ])
      .where("account", "=", charges.account)
      .where("at", ">=", charges.from)
      .where("at", "<", charges.to)
      .$if(isLabelled, (of) => of.where("task", "in", selectLabelled(compiler, charges)))
      .groupBy(["model", "priceVersion"])
      .orderBy("model")
      .orderBy("priceVersion"),
  )
}

const SUMS = describeStatements((compiler) => ({
  sumCharges: compileSum(compiler, false),
  sumLabelledCharges: compileSum(compiler, true),
}))

const ROWS = describeStatements(({ db, compile, members }) => ({
  /** Changes nothing for an account that exists. */
  insertAccount: compile((account: AccountRow) =>
    db
      .insertInto("accounts")
      .values(allOf(TABLES.accounts, account))
      .onConflict((conflict) => conflict.column("id").doNothing()),
  ),
  findAccounts: compile(({ ids }: { ids: readonly string[] }) =>
    db.selectFrom("accounts").select(COLUMNS).where("id", "in", members(ids)),
  ),
  listAccounts: compile(() => db.selectFrom("accounts").select(COLUMNS).orderBy("id")),
  /** By setting. */
  set: new Map(
    SETTINGS.map((setting) => [
      setting,
      compile((account: Partial<AccountSettings> & { id: string }) =>
        db
          .updateTable("accounts")
          .set({ [setting]: account[setting] })
          .where("id", "=", account.id),
      ),
    ]),
  ),
}))

export const ACCOUNT_STATEMENTS = describeStatements((compiler) => ({
  ...CHARGE_LIST_STATEMENTS(compiler),
  ...ROWS(compiler),
  ...SUMS(compiler),
}))

/** An account for which nothing is set. */
export function toNewAccount(id: string, createdAt: number): AccountRow {
  return { ...NO_LIMITS, id, createdAt, linkEpoch: 0 }
}

export function createAccountMethods(database: Database, compiler: Compiler): AccountStorage {
  const { read, readLong, commit } = database
  const accounts = ACCOUNT_STATEMENTS(compiler)
  const totals = TOTALS_STATEMENTS(compiler)

  // Read with every success, mostly for the same few accounts.
  const findAccount = createGatheredRead<Account>(async (ids) => {
    const found = await read(accounts.findAccounts, { ids })
    return new Map(found.map((account) => [account.id, () => account]))
  })

  return {
    findAccount,
    listAccounts: () => read(accounts.listAccounts, {}),
    async setAccount({ id, now, settings }) {
      const changed = SETTINGS.flatMap((setting) => {
        const statement = settings[setting] === undefined ? undefined : accounts.set.get(setting)
        return statement === undefined ? [] : toStep(statement, { id, ...settings })
      })
      const steps = [toStep(accounts.insertAccount, toNewAccount(id, now)), ...changed]
      if (settings.budgetMicros === undefined && settings.unfinishedTasks === undefined) {
        await commit({ steps })
      } else {
        const keep = [toStep(totals.drop, { account: id }), toStep(totals.keep, { account: id })]
        await commit({ steps: [...steps, ...keep], alone: "accountTotals" })
      }
      const account = await findAccount(id)
      assert.ok(account, "an account that was set is there")
      return account
    },
    async readTotals(account) {
      const [kept] = await read(totals.find, { account })
      if (kept !== undefined) return kept
      const [counted] = await readLong(totals.count, { account }, account)
      assert.ok(counted, "counting always gives a row")
      return counted
    },
    async scanTotals() {
      const rows = await readLong(totals.scan, {})
      return rows.map(({ account, keptCharged, keptReserved, keptUnfinished, ...counted }) => {
        // A missing row joins as nulls.
        if (keptCharged === null || keptReserved === null || keptUnfinished === null) {
          return { account, kept: null, counted }
        }
        const kept = { chargedMicros: keptCharged, reservedMicros: keptReserved }
        return { account, kept: { ...kept, unfinishedTasks: keptUnfinished }, counted }
      })
    },
    sumCharges({ labels, ...request }) {
      const wanted = toWantedLabels(labels)
      const statement = wanted === undefined ? accounts.sumCharges : accounts.sumLabelledCharges
      return readLong(statement, { ...request, ...(wanted ?? NONE_WANTED) }, request.account)
    },
    ...createChargeListMethod(database, compiler),
  }
}
