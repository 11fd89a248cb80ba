/**
 * Makes and replaces API keys. A key itself is returned once and never stored: the storage holds the
 * SHA-256 of its secret.
 */
import {
  ACCOUNT_SCOPES,
  SETTING_BOUNDS,
  type ApiKeyScope,
  type KeyStorage,
  type StoredKey,
} from "@safelight/core"
import { sha256 } from "../sha256.ts"
import { createApiKeyParts, formatApiKey } from "./api-key.ts"

/** The account of a database's first key. */
export const FIRST_ACCOUNT = "default"

export interface NewKey {
  readonly id: string
  readonly account: string
  /** `sl_live_…`: whoever has it acts for the account. */
  readonly key: string
}

export interface NewKeyRequest {
  readonly keys: Pick<KeyStorage, "createKey">
  readonly account: string
  /** All scopes by default. */
  readonly scopes?: readonly ApiKeyScope[]
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /** When it ends, in milliseconds; 0, the default: never. */
  readonly expiresAt?: number
}

export interface RotateKeyRequest {
  readonly keys: Pick<KeyStorage, "findKey" | "rotateKey">
  /** Of the key that is replaced. */
  readonly id: string
  readonly now: number
  /** How long the replaced key still holds; 0: not at all. */
  readonly graceMs: number
  /**
   * When the new key ends, in milliseconds; by default after as long as the replaced one was made for, so that
   * no rotation turns a key that ends into one that does not.
   */
  readonly expiresAt?: number
}

export type RotateKeyResult =
  | {
      readonly kind: "rotated"
      readonly key: NewKey
      /** 0: never. */
      readonly expiresAt: number
      readonly replacedExpiresAt: number
    }
  | { readonly kind: "unknown" | "revoked" }

/** The chance that they give fewer than the 42 digits needed is below 10^-97. */
const RANDOM_BYTES = 128

/**
 * Makes a key, and the account if it does not exist. Durable once resolved; rejects with what the storage
 * rejects with.
 */
export async function createKey(request: NewKeyRequest): Promise<NewKey> {
  const { keys, account, scopes = ACCOUNT_SCOPES, now, expiresAt = 0 } = request
  const { key, stored } = await drawKey({ account, scopes, createdAt: now, expiresAt })
  await keys.createKey(stored)
  return key
}

/**
 * A key of every scope but `admin` for `FIRST_ACCOUNT`, if there is no key at all, not even a revoked one; undefined
 * if there is. Durable once resolved; rejects with what the storage rejects with.
 */
export async function createFirstKey(
  keys: Pick<KeyStorage, "createFirstKey">,
  now: number,
): Promise<NewKey | undefined> {
  const given = { account: FIRST_ACCOUNT, scopes: ACCOUNT_SCOPES, createdAt: now, expiresAt: 0 }
  const { key, stored } = await drawKey(given)
  return (await keys.createFirstKey(stored)) ? key : undefined
}

/**
 * Replaces a key by a new one of the same account and scopes. Durable once resolved; rejects with what the
 * storage rejects with.
 */
export async function rotateKey(request: RotateKeyRequest): Promise<RotateKeyResult> {
  const { keys, id, now, graceMs } = request
  const replaced = await keys.findKey(id)
  if (replaced === undefined) return { kind: "unknown" }
  const { account, createdAt, scopes } = replaced
  const expiresAt = request.expiresAt ?? toSameTerm({ now, createdAt, endsAt: replaced.expiresAt })
  const { key, stored: successor } = await drawKey({ account, scopes, createdAt: now, expiresAt })
  const endsAt = now + graceMs
  const isRotated = await keys.rotateKey({ id, expiresAt: endsAt, successor })
  if (!isRotated) return { kind: "revoked" }
  const replacedExpiresAt = Math.min(replaced.expiresAt || endsAt, endsAt)
  return { kind: "rotated", key, expiresAt, replacedExpiresAt }
}

/** Where a rotation has ended the replaced key, that end counts: its first one is not kept. */
function toSameTerm(of: Readonly<Record<"createdAt" | "endsAt" | "now", number>>): number {
  if (of.endsAt === 0) return 0
  // A key that is handed out is not over already.
  return of.now + Math.max(of.endsAt - of.createdAt, SETTING_BOUNDS.minDurationMs)
}

async function drawKey(
  given: Pick<StoredKey, "account" | "scopes" | "createdAt" | "expiresAt">,
): Promise<{ readonly key: NewKey; readonly stored: StoredKey }> {
  const parts = createApiKeyParts(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
  const { id } = parts
  return {
    key: { id, account: given.account, key: formatApiKey(parts) },
    stored: { ...given, id, secretSha256: await sha256(parts.secret), revokedAt: 0 },
  }
}
