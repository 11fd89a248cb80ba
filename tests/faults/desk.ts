/**
 * The operator's desk: accounts and API keys, made and changed as the commands do it, each time over a
 * storage that is opened beside the nodes and closed again, so that a node which dies leaves its database
 * to nobody. What a reader would get wrong: an act that failed may have been done all the same.
 */
import { createKey, type NewKey } from "@safelight/access"
import { isSafelightError, type Storage } from "@safelight/core"
import type { AccountPlan } from "./accounts.ts"
import { openStorage } from "./open-storage.ts"
import type { Random } from "./random.ts"

export interface Desk {
  /** Makes the accounts with a key each, once; a database must be there. */
  open(): Promise<void>
  /** A key of the account that is believed to hold; undefined before the desk is open. */
  keyOf(account: string): NewKey | undefined
  /** Does as the commands do; undefined where the storage failed, and nobody knows what came of it. */
  act<Result>(use: (storage: Storage) => Promise<Result>): Promise<Result | undefined>
}

export interface DeskOptions {
  /** Where nothing disturbs it. */
  readonly place: string
  readonly accounts: readonly AccountPlan[]
  readonly random: Random
}

/** Keys of each account at the beginning: one that is forgotten leaves another. */
const FIRST_KEYS = 2

export function createDesk({ accounts, place, random }: DeskOptions): Desk {
  const keys = new Map<string, NewKey[]>()
  let opening: Promise<void> | undefined

  async function withStorage<Result>(use: (storage: Storage) => Promise<Result>): Promise<Result> {
    const storage = await openStorage({ place, mode: "beside" })
    try {
      return await use(storage)
    } finally {
      await storage.close()
    }
  }

  async function addKey(storage: Storage, account: string): Promise<NewKey> {
    const key = await createKey({ keys: storage, account, now: Date.now() })
    keys.set(account, [...(keys.get(account) ?? []), key])
    return key
  }

  async function makeAccounts(storage: Storage): Promise<void> {
    for (const { id, settings } of accounts) {
      await storage.setAccount({ id, now: Date.now(), settings })
      for (let count = 0; count < FIRST_KEYS; count += 1) await addKey(storage, id)
    }
  }

  return {
    open: () => (opening ??= withStorage(makeAccounts)),
    keyOf(account) {
      const [first, ...others] = keys.get(account) ?? []
      return first && random.pick([first, ...others])
    },
    async act(use) {
      try {
        return await withStorage(use)
      } catch (error) {
        if (!isSafelightError(error)) throw error
        return undefined
      }
    },
  }
}
