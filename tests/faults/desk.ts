/**
 * The operator's desk: accounts and API keys, made and changed as the commands do it, each time over a
 * storage that is opened beside the nodes and closed again, so that a node which dies leaves its database
 * to nobody. What a reader would get wrong: an act that failed may have been done all the same.
 */
import { createKey } from "@safelight/access"
import { isSafelightError, type NewKey, type Storage } from "@safelight/core"
import { WAVERING, type AccountPlan } from "./accounts.ts"
import type { Random } from "./random.ts"
import type { Telling } from "./told.ts"

export interface Desk {
  /** Makes the accounts with their first keys, once; a database must be there. */
  open(): Promise<void>
  /** A key of the account, one that holds as a rule; undefined before the desk is open. */
  keyOf(account: string): NewKey | undefined
  /** Makes another key and takes the oldest out of use, which still holds; undefined where that failed. */
  replaceKey(account: string): Promise<NewKey | undefined>
  revoke(key: NewKey): Promise<void>
  /** Another key, which nobody else has. */
  createKey(account: string): Promise<NewKey>
  /** Does as the commands do; undefined where the storage failed, and nobody knows what came of it. */
  act<Result>(use: (storage: Storage) => Promise<Result>): Promise<Result | undefined>
}

export interface DeskOptions {
  /** Opens the storage where nothing disturbs it. */
  readonly open: () => Promise<Storage>
  readonly accounts: readonly AccountPlan[]
  readonly random: Random
  readonly telling: Pick<Telling, "limits" | "revocations">
}

/** Keys of each account at the beginning: one that is forgotten leaves another. */
const FIRST_KEYS = 2

/** So many calls of an account whose keys are replaced, and one of them comes with a key of the past. */
const OUTDATED_EACH = 8

export function createDesk({ accounts, open, random, telling }: DeskOptions): Desk {
  const keys = new Map<string, NewKey[]>()
  const outdated: NewKey[] = []
  let opening: Promise<void> | undefined

  async function withStorage<Result>(use: (storage: Storage) => Promise<Result>): Promise<Result> {
    const storage = await open()
    try {
      return await use(storage)
    } finally {
      await storage.close()
    }
  }

  async function act<Result>(
    use: (storage: Storage) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await withStorage(use)
    } catch (error) {
      if (!isSafelightError(error)) throw error
      return undefined
    }
  }

  async function addKey(storage: Storage, account: string): Promise<NewKey> {
    const key = await createKey({ keys: storage, account, now: Date.now() })
    keys.set(account, [...(keys.get(account) ?? []), key])
    return key
  }

  async function makeAccounts(storage: Storage): Promise<void> {
    for (const { id, settings } of accounts) {
      const askedAt = Date.now()
      await storage.setAccount({ id, now: askedAt, settings })
      telling.limits.push({ account: id, askedAt, at: Date.now(), settings })
      for (let count = 0; count < FIRST_KEYS; count += 1) await addKey(storage, id)
    }
  }

  return {
    act,
    open: () => (opening ??= withStorage(makeAccounts)),
    keyOf(account) {
      const [old, ...older] = outdated
      const isOld = account === WAVERING && random.integer(1, OUTDATED_EACH) === 1
      if (isOld && old !== undefined) return random.pick([old, ...older])
      const [first, ...others] = keys.get(account) ?? []
      return first && random.pick([first, ...others])
    },
    createKey: (account) =>
      withStorage((storage) => createKey({ keys: storage, account, now: Date.now() })),
    async replaceKey(account) {
      if ((await act((storage) => addKey(storage, account))) === undefined) return undefined
      const [oldest, ...others] = keys.get(account) ?? []
      if (oldest === undefined) return undefined
      keys.set(account, others)
      outdated.push(oldest)
      return oldest
    },
    async revoke({ id }) {
      const askedAt = Date.now()
      const position = telling.revocations.push({ key: id, askedAt, at: Infinity }) - 1
      const isDone = await act((storage) => storage.revokeKey({ id, revokedAt: Date.now() }))
      if (isDone === true) telling.revocations[position] = { key: id, askedAt, at: Date.now() }
    },
  }
}
