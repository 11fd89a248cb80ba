/**
 * How keys are made: API keys, and the keys that sign private links. A secret is returned once and never stored.
 * `@safelight/access` implements it. Errors are those of the storage that is handed in.
 */
import type { ApiKeyScope } from "../keys/api-key-scope.ts"
import type { KeyStorage } from "./key-storage.ts"
import type { LinkKey, LinkStorage } from "./link-storage.ts"

export interface KeyMaker {
  /** Makes a key, and the account if it does not exist. Durable once resolved. */
  createKey(request: NewKeyRequest): Promise<NewKey>
  /**
   * A key of every scope but `admin` for the account `default`, if there is no key at all, not even a revoked one;
   * undefined if there is. Durable once resolved.
   */
  createFirstKey(keys: Pick<KeyStorage, "createFirstKey">, now: number): Promise<NewKey | undefined>
  /** Replaces a key by a new one of the same account and scopes. Durable once resolved. */
  rotateKey(request: RotateKeyRequest): Promise<RotateKeyResult>
  /**
   * From now on links are signed with a new key. Links of the key before it still open, those of older keys no
   * longer. Durable once resolved.
   */
  rotateLinkKey(
    storage: Pick<LinkStorage, "addLinkKey">,
    now: number,
  ): Promise<Omit<LinkKey, "secret">>
}

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
  /** All but `admin` by default. */
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
