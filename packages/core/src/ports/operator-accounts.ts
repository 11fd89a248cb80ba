/**
 * Accounts and their keys as an operator sees and changes them. A key's secret is in the answer that makes the key,
 * and nowhere else: no list has it, and no storage. Each change is recorded with `changedBy` before it is made. Errors
 * are those of `TaskStorage`.
 */
import type {
  Account,
  AccountSettings,
  AccountTotals,
  Rate,
  RatePolicy,
} from "../accounts/account.ts"
import type { ApiKeyScope } from "../keys/api-key-scope.ts"
import type { StoredKey } from "./key-storage.ts"

export interface OperatorAccounts {
  /** By name, in the order of its bytes. */
  listAccounts(request: AccountListRequest): Promise<AccountPage>
  /** Undefined for an account that was never made. */
  findAccount(id: string): Promise<AccountView | undefined>
  /**
   * Sets the members given, and makes the account with the configuration's defaults if it is new; durable once
   * resolved, twice is the same as once. Every process obeys within a second.
   */
  setAccount(id: string, change: SettingsChange, changedBy: string): Promise<AccountView>
  /** All keys of the account, revoked ones too, oldest first; undefined for an unknown account, like the next ones. */
  listKeys(account: string): Promise<readonly KeyView[] | undefined>
  /** Each call makes another key. */
  createKey(request: KeyRequest, changedBy: string): Promise<MadeKey | undefined>
  /** Every process refuses the key within a second. Twice keeps the first moment. Undefined for an unknown key. */
  revokeKey(name: KeyName, changedBy: string): Promise<KeyView | undefined>
  /** Makes a key of the same scopes; the old one ends after the grace. Each call makes another key. */
  rotateKey(request: KeyRotation, changedBy: string): Promise<RotationResult>
  /** Ends every private link of the account that was made until now. False for an unknown account. */
  revokeLinks(account: string, changedBy: string): Promise<boolean>
}

export interface AccountListRequest {
  /** The last name of the page before. */
  readonly after?: string
  readonly limit: number
}

export interface AccountPage {
  readonly accounts: readonly Account[]
  /** Null if there is no more. */
  readonly next: string | null
}

/** An account with what its tasks add up to. */
export interface AccountView {
  readonly account: Account
  readonly totals: AccountTotals
  /** Of the budget: below 0 if it was lowered to less than was spent, null if there is none. */
  readonly leftMicros: number | null
}

/** What is absent stays as it is, each rate for itself. */
export interface SettingsChange extends Partial<Omit<AccountSettings, "rates" | "suspendedAt">> {
  readonly rates?: Partial<Readonly<Record<RatePolicy, Rate | null>>>
  /** A second suspension keeps the moment of the first. */
  readonly isSuspended?: boolean
}

export interface KeyName {
  /** If it is given, a key of another account is unknown. */
  readonly account?: string
  readonly id: string
}

export interface KeyView extends Omit<StoredKey, "secretSha256"> {
  /** In the order in which a service judges: a revoked key is not called expired. */
  readonly state: "valid" | "revoked" | "expired"
}

export interface KeyRequest {
  readonly account: string
  /** All but `admin` by default. */
  readonly scopes?: readonly ApiKeyScope[]
  /** For ever by default. */
  readonly lifetimeMs?: number
}

export interface MadeKey {
  readonly view: KeyView
  /** `sl_live_…`, shown only now. Its holder acts for the account. */
  readonly key: string
}

export interface KeyRotation extends KeyName {
  /** How long the replaced key still holds; 0: not at all. */
  readonly graceMs: number
  /** Of the new key; by default that of the replaced one. */
  readonly lifetimeMs?: number
}

export type RotationResult =
  | RotatedKey
  | { readonly kind: "unknown" }
  | { readonly kind: "revoked" }

export interface RotatedKey extends MadeKey {
  readonly kind: "rotated"
  readonly replaced: KeyView
}

/** Bounds of settings, for the API and the commands alike. */
export const SETTING_BOUNDS = {
  rate: {
    /** More than any service answers: for more, set no rate. */
    maxRequests: 1_000_000,
    minWindowMs: 1_000,
    /** A day: a longer window would let a whole month's requests come at once. */
    maxWindowMs: 86_400_000,
  },
  /** More than all channels of any service take: for more, set no limit. */
  maxRunningTasks: 1_000_000,
  maxWeight: 1_000,
  minDurationMs: 1_000,
  /** Ten years: a longer time has the wrong unit. */
  maxDurationMs: 3_650 * 86_400_000,
} as const
