/**
 * The API keys of a deployment: listed, made, replaced and revoked. A caller that names the account of a key finds no
 * key of another one, so that a mistyped address touches nobody else's.
 */
import {
  ACCOUNT_SCOPES,
  type ApiKeyScope,
  type Clock,
  type KeyMaker,
  type KeyName,
  type KeyView,
  type MadeKey,
  type NewKey,
  type OperatorAccounts,
  type Storage,
  type StoredKey,
} from "@safelight/core"
import type { RecordChange } from "../changes/record-changes.ts"
import { toRecordedKeys } from "../changes/recorded-keys.ts"
import { toKeyView } from "./key-view.ts"

export interface KeysOptions {
  readonly storage: Storage
  readonly clock: Pick<Clock, "now">
  readonly keys: KeyMaker
  readonly record: RecordChange
}

export interface Keys extends Pick<
  OperatorAccounts,
  "createKey" | "listKeys" | "revokeKey" | "rotateKey"
> {
  /** Those of all accounts, the oldest first. */
  listAllKeys(): Promise<readonly KeyView[]>
}

export function createKeys({ clock, keys, record, storage }: KeysOptions): Keys {
  async function find({ account, id }: KeyName): Promise<StoredKey | undefined> {
    const found = await storage.findKey(id)
    return account === undefined || found?.account === account ? found : undefined
  }

  async function listAllKeys(): Promise<readonly KeyView[]> {
    const stored = await storage.listKeys()
    const now = clock.now()
    return stored.map((key) => toKeyView(key, now))
  }

  return {
    listAllKeys,
    async listKeys(account) {
      if ((await storage.findAccount(account)) === undefined) return undefined
      return (await listAllKeys()).filter((key) => key.account === account)
    },
    async createKey({ account, lifetimeMs, scopes = ACCOUNT_SCOPES }, changedBy) {
      if ((await storage.findAccount(account)) === undefined) return undefined
      const now = clock.now()
      const term = { now, expiresAt: lifetimeMs === undefined ? 0 : now + lifetimeMs }
      const recorded = toRecordedKeys(storage, record, changedBy)
      const made = await keys.createKey({ keys: recorded, account, scopes, ...term })
      return toMade(made, scopes, term)
    },
    async revokeKey(name, changedBy) {
      const { account, id } = (await find(name)) ?? {}
      if (id === undefined || account === undefined) return undefined
      await record(changedBy, { change: "key-revoked", target: id, account })
      await storage.revokeKey({ id, revokedAt: clock.now() })
      const revoked = await storage.findKey(id)
      return revoked && toKeyView(revoked, clock.now())
    },
    async rotateKey({ graceMs, lifetimeMs, ...name }, changedBy) {
      const before = await find(name)
      if (before === undefined) return { kind: "unknown" }
      const now = clock.now()
      const asked = lifetimeMs === undefined ? {} : { expiresAt: now + lifetimeMs }
      const recorded = toRecordedKeys(storage, record, changedBy)
      const request = { keys: recorded, id: before.id, now, graceMs, ...asked }
      const result = await keys.rotateKey(request)
      if (result.kind !== "rotated") return { kind: result.kind }
      const replaced = toKeyView({ ...before, expiresAt: result.replacedExpiresAt }, now)
      const term = { now, expiresAt: result.expiresAt }
      return { kind: "rotated", ...toMade(result.key, before.scopes, term), replaced }
    },
  }
}

/** Not read back: if that failed, nobody would ever have the secret of a key that exists. */
function toMade(
  { account, id, key }: NewKey,
  scopes: readonly ApiKeyScope[],
  { expiresAt, now }: { readonly now: number; readonly expiresAt: number },
): MadeKey {
  const moments = { createdAt: now, revokedAt: 0, expiresAt }
  return { key, view: { id, account, scopes, ...moments, state: "valid" } }
}
