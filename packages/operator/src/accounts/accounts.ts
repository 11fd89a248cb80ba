/** Accounts, with their keys and links, as an operator sees and changes them. */
import {
  FIRST_ACCOUNT,
  NO_LIMITS,
  type Account,
  type AccountSettings,
  type Clock,
  type NewKey,
  type OperatorAccounts,
  type SettingsChange,
  type TaskService,
} from "@safelight/core"
import { toSettings } from "./to-settings.ts"
import { createKeys, type Keys, type KeysOptions } from "./keys.ts"
import { createLinks } from "./links.ts"
import { stopTasks } from "./stop-tasks.ts"
import { viewAccount } from "./view-account.ts"

export interface AccountsOptions extends KeysOptions {
  readonly clock: Pick<Clock, "now" | "wait">
  /** Of an account that is new. */
  readonly accountDefaults: Partial<AccountSettings>
  readonly engine: Pick<TaskService, "cancel">
}

export interface Accounts extends OperatorAccounts, Keys {
  /** Makes the account with the defaults, and leaves one that exists as it is; durable once resolved. */
  makeAccount(id: string, changedBy: string): Promise<void>
  /**
   * As `KeyMaker.createFirstKey`, with an account that has its limits before anybody has the key. A service does this
   * by itself, so that it is not recorded.
   */
  makeFirstKey(): Promise<NewKey | undefined>
  /**
   * Cancels every unfinished task of the account, which should be suspended: otherwise new tasks take their place.
   * Resolves after a second or two to the number of tasks that it ended.
   */
  stopTasks(account: string, changedBy: string): Promise<number>
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { accountDefaults: defaults, clock, keys, record, storage } = options
  const links = createLinks(options)

  async function change(
    id: string,
    settingsChange: SettingsChange,
    changedBy: string,
  ): Promise<Account> {
    const before = await storage.findAccount(id)
    const now = clock.now()
    const given = toSettings(settingsChange, before ?? { ...NO_LIMITS, ...defaults }, now)
    const settings = before === undefined ? { ...defaults, ...given } : given
    await record(changedBy, {
      change: "account-set",
      target: id,
      account: id,
      details: { settings },
    })
    return storage.setAccount({ id, now, settings })
  }

  return {
    ...createKeys(options),
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
    async setAccount(id, settingsChange, changedBy) {
      return viewAccount(storage, await change(id, settingsChange, changedBy))
    },
    async makeAccount(id, changedBy) {
      if ((await storage.findAccount(id)) === undefined) await change(id, {}, changedBy)
    },
    async makeFirstKey() {
      const now = clock.now()
      if ((await storage.findAccount(FIRST_ACCOUNT)) === undefined) {
        if ((await storage.listKeys()).length > 0) return undefined
        await storage.setAccount({ id: FIRST_ACCOUNT, now, settings: defaults })
      }
      return keys.createFirstKey(storage, now)
    },
    async stopTasks(account, changedBy) {
      await record(changedBy, { change: "tasks-stopped", target: account, account })
      return stopTasks(options, account)
    },
    revokeLinks: (account, changedBy) => links.revokeLinks({ kind: "account", account }, changedBy),
  }
}

/** In the order of bytes, which is the storage's. */
function isBehind(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) > 0
}
