/**
 * Accounts and their API keys. A key's secret is never stored, only its SHA-256. Errors are those of
 * `TaskStorage`, and `already-exists` as named.
 */
import type { ApiKeyScope } from "../keys/api-key-scope.ts"

export interface KeyStorage {
  /**
   * Creates `account` if it does not exist and stores the key; durable once resolved. Rejects with
   * `already-exists` if the key's id is known.
   */
  createKey(key: StoredKey): Promise<void>
  /**
   * The same if there is no key at all, not even a revoked one; otherwise false. Of many at once, in as
   * many processes, one creates its key.
   */
  createFirstKey(key: StoredKey): Promise<boolean>
  /** The key with this id, revoked or not; undefined for an unknown one. */
  findKey(id: string): Promise<StoredKey | undefined>
  /** Every key, oldest first. */
  listKeys(): Promise<readonly StoredKey[]>
  /** Revokes a key; durable once resolved, false if there is none. Twice keeps the first moment. */
  revokeKey(request: { readonly id: string; readonly revokedAt: number }): Promise<boolean>
  /**
   * Stores `successor`, of the same account and scopes, and lets the key end at `expiresAt` unless
   * it ends before; one commit, durable once resolved. False if there is no such key or it is revoked.
   * Rejects with `already-exists` if the successor's id is known.
   */
  rotateKey(request: {
    readonly id: string
    readonly expiresAt: number
    readonly successor: StoredKey
  }): Promise<boolean>
}

export interface StoredKey {
  readonly id: string
  readonly account: string
  /** SHA-256 of the 32 digits of the secret, without the checksum; 64 lower-case hexadecimal digits. */
  readonly secretSha256: string
  readonly scopes: readonly ApiKeyScope[]
  readonly createdAt: number
  /** 0 while valid. */
  readonly revokedAt: number
  /** 0 for a key without an end. */
  readonly expiresAt: number
}
