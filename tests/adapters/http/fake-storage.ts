/**
 * What access asks a storage, in memory: keys, accounts, what private links rest on, and
 * rates. Accounts are unknown, and so without limits, until a test sets something for one.
 */
import { createHash } from "node:crypto"
import { createApiKeyParts, formatApiKey, type AccessStorage } from "@safelight/access"
import {
  NO_LIMITS,
  type Account,
  type AccountSettings,
  type ApiKeyScope,
  type LinkEpochRequest,
  type LinkKey,
  type LinkScope,
  type RateName,
  type StoredKey,
} from "@safelight/core"

export const ACCOUNT = "account-a"
const ALL_SCOPES: readonly ApiKeyScope[] = [
  "tasks:write",
  "tasks:read",
  "artifacts:read",
  "links:write",
  "webhooks:write",
  "admin",
]

export function createFakeStorage() {
  const keys = createFakeKeys()
  const accounts = createFakeAccounts()
  const links = createFakeLinks()
  const rates = createFakeRates()
  const storage: AccessStorage = {
    findKey: keys.findKey,
    findAccount: accounts.findAccount,
    readLinkKeys: links.readLinkKeys,
    addLinkKey: links.addLinkKey,
    readLinkEpoch: links.readLinkEpoch,
    raiseLinkEpoch: links.raiseLinkEpoch,
    readRate: rates.readRate,
    advanceRate: rates.advanceRate,
  }
  return { storage, keys, accounts, links, rates }
}

function createFakeKeys() {
  const stored = new Map<string, StoredKey>()
  let lookups = 0
  let made = 0
  let failure: unknown
  return {
    lookups: () => lookups,
    stored,
    /** What every later look-up rejects with; undefined: nothing. */
    fail(error: unknown) {
      failure = error
    },
    async findKey(id: string) {
      lookups += 1
      if (failure !== undefined) throw failure
      return stored.get(id)
    },
    /** Stores a key and gives its text. */
    add(changes: Partial<StoredKey> = {}): string {
      made += 1
      const parts = createApiKeyParts(createHash("sha512").update(`key ${made}`).digest())
      stored.set(parts.id, {
        id: parts.id,
        account: ACCOUNT,
        secretSha256: createHash("sha256").update(parts.secret).digest("hex"),
        scopes: ALL_SCOPES,
        createdAt: 0,
        revokedAt: 0,
        expiresAt: 0,
        ...changes,
      })
      return formatApiKey(parts)
    },
    change(key: string, changes: Partial<StoredKey>) {
      const id = key.slice("sl_live_".length, "sl_live_".length + 10)
      const known = stored.get(id)
      if (known === undefined) throw new Error("no such key")
      stored.set(id, { ...known, ...changes })
    },
  }
}

function createFakeAccounts() {
  const stored = new Map<string, Account>()
  return {
    stored,
    async findAccount(id: string) {
      return stored.get(id)
    },
    /** Believed as long as a key is: set it before the first call, or move the clock. */
    set(settings: Partial<AccountSettings>, id = ACCOUNT) {
      const known = stored.get(id) ?? { ...NO_LIMITS, id, createdAt: 0 }
      stored.set(id, { ...known, ...settings })
    },
  }
}

function createFakeLinks() {
  let keys: readonly LinkKey[] = []
  const epochs = new Map<string, number>()
  let failure: unknown
  let reads = 0

  function failIfAsked(): void {
    if (failure !== undefined) throw failure
  }

  return {
    /** What every later call throws; undefined: nothing. */
    fail(error: unknown) {
      failure = error
    },
    /** How often keys or epochs were read. */
    reads: () => reads,
    async readLinkKeys() {
      failIfAsked()
      reads += 1
      return keys
    },
    async addLinkKey(key: LinkKey) {
      failIfAsked()
      const others = keys.filter(({ id }) => id !== key.id)
      if (others.length === keys.length) keys = [key, ...others].slice(0, 2)
    },
    async readLinkEpoch({ account, task, key }: LinkEpochRequest) {
      failIfAsked()
      reads += 1
      return (epochs.get(`account ${account}`) ?? 0) + (epochs.get(`artifact ${task} ${key}`) ?? 0)
    },
    async raiseLinkEpoch(scope: LinkScope) {
      failIfAsked()
      const name =
        scope.kind === "account"
          ? `account ${scope.account}`
          : `artifact ${scope.task} ${scope.key}`
      epochs.set(name, (epochs.get(name) ?? 0) + 1)
    },
  }
}

function createFakeRates() {
  const moments = new Map<string, number>()
  let failure: unknown
  let writes = 0
  let reads = 0
  let beforeWrite: (() => void | Promise<void>) | undefined

  function toName({ account, policy }: RateName): string {
    return `${policy} ${account}`
  }

  function read(name: RateName): number {
    return moments.get(toName(name)) ?? 0
  }

  return {
    /** What every later call throws; undefined: nothing. */
    fail(error: unknown) {
      failure = error
    },
    /** Runs before each comparison; may wait, or move a moment as another node would. */
    before(action: (() => void | Promise<void>) | undefined) {
      beforeWrite = action
    },
    reads: () => reads,
    writes: () => writes,
    moments,
    async readRate(name: RateName) {
      reads += 1
      if (failure !== undefined) throw failure
      return read(name)
    },
    async advanceRate({ from, to, ...name }: RateName & { from: number; to: number }) {
      writes += 1
      if (failure !== undefined) throw failure
      await beforeWrite?.()
      if (read(name) !== from) return false
      moments.set(toName(name), to)
      return true
    },
  }
}

export type FakeStorage = ReturnType<typeof createFakeStorage>
