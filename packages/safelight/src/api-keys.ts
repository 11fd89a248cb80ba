/** Makes API keys. The key itself is returned once and stored nowhere, only its SHA-256 is. */
import { randomBytes } from "node:crypto"
import {
  API_KEY_SCOPES,
  createApiKeyParts,
  formatApiKey,
  type ApiKeyScope,
  type KeyStorage,
} from "@safelight/core"
import { sha256 } from "@safelight/engine"

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
}

/** The chance that fewer than the 42 digits needed come of them is below 10^-97. */
const RANDOM_BYTES = 128

/** Creates the account where it does not exist; durable once resolved. */
export async function createKey(request: NewKeyRequest): Promise<NewKey> {
  const { keys, account, scopes = API_KEY_SCOPES, now } = request
  const parts = createApiKeyParts(randomBytes(RANDOM_BYTES))
  await keys.createKey({
    id: parts.id,
    account,
    secretSha256: sha256([parts.secret]),
    scopes,
    createdAt: now,
    revokedAt: 0,
    expiresAt: 0,
  })
  return { id: parts.id, account, key: formatApiKey(parts) }
}
