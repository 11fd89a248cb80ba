/**
 * From an API key to who calls. The checksum is tested before the database is asked,
 * and what a revoked or expired key is told depends on its secret being right first: a stranger
 * learns nothing from a key id (http-decisions §2, §7).
 */
import {
  NO_LIMITS,
  type Account,
  type AccountStorage,
  type ApiKeyParts,
  type ApiKeyScope,
  type KeyStorage,
  type StoredKey,
} from "@safelight/core"
import type { ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"
import { sha256 } from "../sha256.ts"

export interface Caller {
  readonly account: Account
  readonly scopes: readonly ApiKeyScope[]
  /** 0 for a key without an end. */
  readonly expiresAt: number
}

/** What is asked of a storage about who calls. */
export type CallerStorage = Pick<KeyStorage, "findKey"> & Pick<AccountStorage, "findAccount">

const KEY_START = "sl_live_"
const COMMON_START = `Bearer ${KEY_START}`
const BEARER = /^bearer +([^\s,]+)$/i
/** Compared with where no key has the id, so that both cases cost the same. */
const NO_SECRET = "0".repeat(64)

/** The key in an Authorization header, whatever it is worth. */
export function readBearer(header: string): string | undefined {
  // As nearly all write it; whether that is a key is for the key's own check.
  if (header.startsWith(COMMON_START)) return header.slice(COMMON_START.length - KEY_START.length)
  return BEARER.exec(header)?.[1]
}

/** Rejects with a `Refusal`, or with what the storage rejects with. */
export async function verifyKey(
  storage: CallerStorage,
  parts: ApiKeyParts,
  now: number,
): Promise<Caller> {
  const [stored, secretSha256] = await Promise.all([
    storage.findKey(parts.id),
    sha256(parts.secret),
  ])
  if (!isEqual(stored?.secretSha256 ?? NO_SECRET, secretSha256) || stored === undefined) {
    throw refuseKey("invalid_api_key")
  }
  if (stored.revokedAt !== 0) throw refuseKey("api_key_revoked")
  if (isExpired(stored, now)) throw refuseKey("api_key_expired")
  const { account: id, createdAt, expiresAt, scopes } = stored
  const account = (await storage.findAccount(id)) ?? { ...NO_LIMITS, id, createdAt }
  return { account, scopes, expiresAt }
}

export function isExpired(key: Pick<StoredKey, "expiresAt">, now: number): boolean {
  return key.expiresAt !== 0 && now >= key.expiresAt
}

/** RFC 6750 §3: what `WWW-Authenticate` says. */
export function refuseKey(code: ErrorCode): Refusal {
  const headers = { "www-authenticate": 'Bearer realm="api", error="invalid_token"' }
  return new Refusal(code, { headers })
}

/** In time that depends on the length alone. */
function isEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}
