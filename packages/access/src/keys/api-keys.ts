/**
 * Makes and replaces API keys, as the port `KeyMaker` has it. A key itself is returned once and never stored: the
 * storage holds the SHA-256 of its secret.
 */
import {
  ACCOUNT_SCOPES,
  FIRST_ACCOUNT,
  SETTING_BOUNDS,
  type KeyStorage,
  type NewKey,
  type NewKeyRequest,
  type RotateKeyRequest,
  type RotateKeyResult,
  type StoredKey,
} from "@safelight/core"
import { sha256 } from "./sha256.ts"
import { createApiKeyParts, formatApiKey } from "./api-key.ts"

/** The chance that they give fewer than the 42 digits needed is below 10^-97. */
const RANDOM_BYTES = 128

/** As `KeyMaker.createKey`. */
export async function createKey(request: NewKeyRequest): Promise<NewKey> {
  const { keys, account, scopes = ACCOUNT_SCOPES, now, expiresAt = 0 } = request
  const { key, stored } = await drawKey({ account, scopes, createdAt: now, expiresAt })
  await keys.createKey(stored)
  return key
}

/** As `KeyMaker.createFirstKey`. */
export async function createFirstKey(
  keys: Pick<KeyStorage, "createFirstKey">,
  now: number,
): Promise<NewKey | undefined> {
  const given = { account: FIRST_ACCOUNT, scopes: ACCOUNT_SCOPES, createdAt: now, expiresAt: 0 }
  const { key, stored } = await drawKey(given)
  return (await keys.createFirstKey(stored)) ? key : undefined
}

/** As `KeyMaker.rotateKey`. */
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
