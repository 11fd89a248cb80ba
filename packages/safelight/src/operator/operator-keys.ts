/**
 * The keys of an account as an operator makes, replaces and revokes them. A key of another account is unknown here,
 * so that a mistyped address touches nobody else's.
 */
import { createKey, rotateKey, type NewKey } from "@safelight/access"
import {
  ACCOUNT_SCOPES,
  type ApiKeyScope,
  type Clock,
  type MadeKey,
  type OperatorAccounts,
  type Storage,
  type StoredKey,
} from "@safelight/core"
import { toKeyView } from "./key-view.ts"
import { toRecorded, type RecordChange } from "./record-changes.ts"

export interface OperatorKeysOptions {
  readonly storage: Pick<
    Storage,
    "createKey" | "findAccount" | "findKey" | "listKeys" | "revokeKey" | "rotateKey"
  >
  readonly clock: Pick<Clock, "now">
  readonly record: RecordChange
}

type OperatorKeys = Pick<OperatorAccounts, "createKey" | "listKeys" | "revokeKey" | "rotateKey">

export function createOperatorKeys(options: OperatorKeysOptions): OperatorKeys {
  const { clock, record, storage } = options
  const by = (changedBy: string) => toRecorded(storage, (change) => record(changedBy, change))

  async function find(account: string, id: string): Promise<StoredKey | undefined> {
    const found = await storage.findKey(id)
    return found?.account === account ? found : undefined
  }

  return {
    async listKeys(account) {
      if ((await storage.findAccount(account)) === undefined) return undefined
      const now = clock.now()
      const keys = await storage.listKeys()
      return keys.filter((key) => key.account === account).map((key) => toKeyView(key, now))
    },
    async createKey({ account, lifetimeMs, scopes = ACCOUNT_SCOPES }, changedBy) {
      if ((await storage.findAccount(account)) === undefined) return undefined
      const now = clock.now()
      const term = { now, expiresAt: toEnd(now, lifetimeMs) }
      const made = await createKey({ keys: by(changedBy), account, scopes, ...term })
      return toMade(made, scopes, term)
    },
    async revokeKey({ account, id }, changedBy) {
      if ((await find(account, id)) === undefined) return undefined
      await by(changedBy).revokeKey({ id, revokedAt: clock.now() })
      const revoked = await find(account, id)
      return revoked && toKeyView(revoked, clock.now())
    },
    async rotateKey({ account, graceMs, id, lifetimeMs }, changedBy) {
      const before = await find(account, id)
      if (before === undefined) return { kind: "unknown" }
      const now = clock.now()
      const asked = lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs }
      const result = await rotateKey({ keys: by(changedBy), id, now, graceMs, ...asked })
      if (result.kind !== "rotated") return { kind: result.kind }
      const replaced = toKeyView({ ...before, expiresAt: result.replacedExpiresAt }, now)
      const term = { now, expiresAt: result.expiresAt }
      return { kind: "rotated", ...toMade(result.key, before.scopes, term), replaced }
    },
  }
}

interface Term {
  readonly now: number
  readonly expiresAt: number
}

function toEnd(now: number, lifetimeMs: number | undefined): number {
  return lifetimeMs === undefined ? 0 : now + lifetimeMs
}

/** Not read back: if that failed, nobody would ever have the secret of a key that exists. */
function toMade(
  { account, id, key }: NewKey,
  scopes: readonly ApiKeyScope[],
  { expiresAt, now }: Term,
): MadeKey {
  const view = {
    id,
    account,
    scopes,
    createdAt: now,
    revokedAt: 0,
    expiresAt,
    state: "valid",
  } as const
  return { key, view }
}
