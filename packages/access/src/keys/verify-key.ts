/**
 * Finds out from the storage who calls with an API key. Only with the right secret is a key answered that it
 * is revoked or expired: an id alone reveals nothing (http-decisions §2, §7).
 */
import {
  NO_LIMITS,
  type AccountStorage,
  type Authentication,
  type AuthenticationRefusal,
  type Identity,
  type KeyStorage,
} from "@safelight/core"
import { sha256 } from "./sha256.ts"
import { isEqual } from "./is-equal.ts"
import type { ApiKeyParts } from "./api-key.ts"

/** The parts of a storage that say who calls. */
export type IdentityStorage = Pick<KeyStorage, "findKey"> & Pick<AccountStorage, "findAccount">

/** Compared with if no key has the id, so that both cases cost the same. */
const NO_SECRET = "0".repeat(64)

/** Two reads at most; rejects with what the storage rejects with. */
export async function verifyKey(
  storage: IdentityStorage,
  { id: keyId, secret }: ApiKeyParts,
  now: number,
): Promise<Authentication> {
  const [stored, secretSha256] = await Promise.all([storage.findKey(keyId), sha256(secret)])
  if (!isEqual(stored?.secretSha256 ?? NO_SECRET, secretSha256) || stored === undefined) {
    return refused("invalid-api-key")
  }
  if (stored.revokedAt !== 0) return refused("api-key-revoked")
  if (isExpired(stored, now)) return refused("api-key-expired")
  const { account: id, createdAt, expiresAt, scopes } = stored
  const account = (await storage.findAccount(id)) ?? { ...NO_LIMITS, id, createdAt }
  return { kind: "authenticated", identity: { account, keyId, scopes, expiresAt } }
}

export function isExpired({ expiresAt }: Pick<Identity, "expiresAt">, now: number): boolean {
  return expiresAt !== 0 && now >= expiresAt
}

export function refused(code: AuthenticationRefusal): Authentication {
  return { kind: "refused", code }
}
