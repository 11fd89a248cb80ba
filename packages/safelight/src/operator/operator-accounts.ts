/** Accounts as an operator sees and changes them in a running service: with the functions of the commands. */
import type { Clock, OperatorAccounts, Storage } from "@safelight/core"
import type { AccountDefaults } from "../configuration/account-defaults.ts"
import { changeAccount } from "./change-account.ts"
import { createOperatorKeys, type OperatorKeysOptions } from "./operator-keys.ts"
import { isKnownAccount, viewAccount } from "./view-account.ts"

export interface OperatorAccountsOptions {
  readonly storage: OperatorKeysOptions["storage"] &
    Pick<Storage, "listAccounts" | "listTasks" | "raiseLinkEpoch" | "readTotals" | "setAccount">
  readonly clock: Pick<Clock, "now">
  /** Of accounts that are new. */
  readonly defaults: AccountDefaults
}

export function createOperatorAccounts(options: OperatorAccountsOptions): OperatorAccounts {
  const { clock, defaults, storage } = options
  return {
    ...createOperatorKeys(options),
    async listAccounts({ after, limit }) {
      const all = await storage.listAccounts()
      const rest = after === undefined ? all : all.filter(({ id }) => isBehind(id, after))
      const accounts = rest.slice(0, limit)
      const next = rest.length > limit ? (accounts.at(-1)?.id ?? null) : null
      return { accounts, next }
    },
    async findAccount(id) {
      const account = await storage.findAccount(id)
      return account && viewAccount(storage, account)
    },
    async setAccount(id, change) {
      const account = await changeAccount({ storage, id, now: clock.now(), defaults }, change)
      return viewAccount(storage, account)
    },
    async revokeLinks(account) {
      if (!(await isKnownAccount(storage, account))) return false
      await storage.raiseLinkEpoch({ kind: "account", account, now: clock.now() })
      return true
    },
  }
}

/** In the order of bytes, which is the storage's. */
function isBehind(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) > 0
}
