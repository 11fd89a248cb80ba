/**
 * Accounts and what their tasks add up to. With an account's first bound its totals are counted while
 * every commit waits: the lock on the table is one that each batch's statement takes before it looks
 * at anything, so a batch is either counted, or finds the totals there.
 */
import assert from "node:assert/strict"
import type { AccountStorage } from "@safelight/core"
import {
  fromAccountRecord,
  fromChargeSumRecord,
  fromKeptTotalsRecord,
  fromTotalsRecord,
  toSettingsRecord,
  type AccountsTable,
  type ChargeSumRecord,
  type KeptTotalsRecord,
  type SettingColumn,
  type StoreStatements,
  type TotalsRecord,
} from "@safelight/store"
import { toArrayLiteral } from "./array-literal.ts"
import { createGatheredRead } from "./gathered-read.ts"
import type { Sessions } from "./sessions.ts"
import type { Sums } from "./sums.ts"
import type { Session } from "./transactions.ts"

const STOP_COMMITS = "lock table account_totals in share row exclusive mode"

export function createAccountMethods(
  sessions: Sessions,
  sums: Sums,
  { accounts, totals }: StoreStatements,
): AccountStorage {
  // Asked for with every success, mostly for the same few.
  const findAccount = createGatheredRead(async (ids) => {
    const values = { ids: toArrayLiteral(ids) }
    const records = await sessions.read<AccountsTable>(accounts.findAccounts, values)
    return new Map(records.map((record) => [record.id, () => fromAccountRecord(record)]))
  })

  /** Keeps totals exactly while there is a bound; only what begins or ends a bound stops commits. */
  async function keepTotals(session: Session, account: string, hasBound: boolean): Promise<void> {
    const [kept] = await session.find(totals.find, { account })
    if (hasBound === (kept !== undefined)) return
    await session.execute(STOP_COMMITS)
    await session.change(totals.drop, { account })
    await session.change(totals.keep, { account })
  }

  return {
    ...createTotalsMethods(sessions, sums, totals),
    findAccount,
    async listAccounts() {
      return (await sessions.read<AccountsTable>(accounts.listAccounts, {})).map(fromAccountRecord)
    },
    async setAccount({ id, now, settings }) {
      const record = toSettingsRecord(settings)
      const columns = Object.keys(record) as SettingColumn[]
      return sessions.transact("begin", async (session) => {
        await session.change(accounts.insertAccount, { id, created_at: now })
        for (const column of columns) {
          // oxlint-disable-next-line no-await-in-loop -- one connection, one statement after another
          await session.change(accounts.set[column], { id, ...record })
        }
        const [stored] = await session.find<AccountsTable>(accounts.findAccount, { id })
        assert.ok(stored, "an account that was set is there")
        const account = fromAccountRecord(stored)
        const hasBound = account.budgetMicros !== null || account.unfinishedTasks !== null
        await keepTotals(session, id, hasBound)
        return account
      })
    },
    async sumCharges({ account, from, to }) {
      const values = { account, from_at: from, below_at: to }
      const records = await sums.read<ChargeSumRecord>(accounts.sumCharges, values, account)
      return records.map(fromChargeSumRecord)
    },
  }
}

function createTotalsMethods(
  sessions: Sessions,
  sums: Sums,
  totals: StoreStatements["totals"],
): Pick<AccountStorage, "readTotals" | "scanTotals"> {
  return {
    async readTotals(account) {
      const [kept] = await sessions.read<TotalsRecord>(totals.find, { account })
      if (kept !== undefined) return fromTotalsRecord(kept)
      const [counted] = await sums.read<TotalsRecord>(totals.count, { account }, account)
      assert.ok(counted, "counting always gives a row")
      return fromTotalsRecord(counted)
    },
    async scanTotals() {
      const records = await sums.read<KeptTotalsRecord>(totals.scan, {})
      return records.map(fromKeptTotalsRecord)
    },
  }
}
