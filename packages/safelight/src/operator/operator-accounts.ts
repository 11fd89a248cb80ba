/** Accounts as an operator sees and changes them in a running service: with the functions of the commands. */
import type { Clock, OperatorAccounts, Storage } from "@safelight/core"
import type { AccountDefaults } from "../configuration/account-defaults.ts"
import { changeAccount } from "./change-account.ts"
import { createOperatorKeys, type OperatorKeysOptions } from "./operator-keys.ts"
import { toRecorded } from "./record-changes.ts"
import { isKnownAccount, viewAccount } from "./view-account.ts"

export interface OperatorAccountsOptions extends Pick<OperatorKeysOptions, "record"> {
  readonly storage: OperatorKeysOptions["storage"] &
    Pick<
      Storage,
      "listAccounts" | "listTasks" | "raiseLinkEpoch" | "readTask" | "readTotals" | "setAccount"
    >
  readonly clock: Pick<Clock, "now">
  /** Of accounts that are new. */
  readonly defaults: AccountDefaults
}

export function createOperatorAccounts(options: OperatorAccountsOptions): OperatorAccounts {
  const { clock, defaults, record, storage: unrecorded } = options
  const by = (changedBy: string) => toRecorded(unrecorded, (change) => record(changedBy, change))
  return {
    ...createOperatorKeys(options),
    async listAccounts({ after, limit }) {
      const all = await unrecorded.listAccounts()
      const rest = after === undefined ? all : all.filter(({ id }) => isBehind(id, after))
      const accounts = rest.slice(0, limit)
      const next = rest.length > limit ? (accounts.at(-1)?.id ?? null) : null
      return { accounts, next }
    },
    async findAccount(id) {
      const account = await unrecorded.findAccount(id)
      return account && viewAccount(unrecorded, account)
    },
    async setAccount(id, change, changedBy) {
      const storage = by(changedBy)
      const account = await changeAccount({ storage, id, now: clock.now(), defaults }, change)
      return viewAccount(storage, account)
    },
    async revokeLinks(account, changedBy) {
      const storage = by(changedBy)
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
