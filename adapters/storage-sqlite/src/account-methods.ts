/** Accounts and what their tasks add up to, written through the same writer as everything else. */
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
import { createEncoder } from "./encode-change.ts"
import type { LongReads } from "./long-reads.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export function createAccountMethods(
  writer: Writer,
  reader: Reader,
  longReads: LongReads,
  { accounts, totals }: StoreStatements,
): AccountStorage {
  const { plain } = createEncoder(writer.toNumber)

  function findAccount(id: string) {
    const [record] = reader.all<AccountsTable>(accounts.findAccount, { id })
    return record && fromAccountRecord(record)
  }

  return {
    findAccount: async (id) => findAccount(id),
    async listAccounts() {
      return reader.all<AccountsTable>(accounts.listAccounts, {}).map(fromAccountRecord)
    },
    async setAccount({ id, now, settings }) {
      const record = toSettingsRecord(settings)
      const columns = Object.keys(record) as SettingColumn[]
      const change = plain([
        { statement: accounts.insertAccount, values: { id, created_at: now } },
        ...columns.map((column) => ({
          statement: accounts.set[column],
          values: { id, ...record },
        })),
        { statement: totals.drop, values: { account: id } },
        { statement: totals.keep, values: { account: id } },
      ])
      await writer.write(change)
      const account = findAccount(id)
      assert.ok(account, "an account that was set is there")
      return account
    },
    async readTotals(account) {
      const [kept] = reader.all<TotalsRecord>(totals.find, { account })
      if (kept !== undefined) return fromTotalsRecord(kept)
      const [counted] = await longReads.all<TotalsRecord>(totals.count, { account })
      assert.ok(counted, "counting always gives a row")
      return fromTotalsRecord(counted)
    },
    async scanTotals() {
      const records = await longReads.all<KeptTotalsRecord>(totals.scan, {})
      return records.map(fromKeptTotalsRecord)
    },
    async sumCharges({ account, from, to }) {
      const values = { account, from_at: from, below_at: to }
      const records = await longReads.all<ChargeSumRecord>(accounts.sumCharges, values)
      return records.map(fromChargeSumRecord)
    },
  }
}
