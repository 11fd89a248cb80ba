/**
 * Where request rates are counted for good: one moment for each account and policy, that of the
 * last request which was let through in theory (GCRA). Nodes take shares of it in advance by
 * advancing it, so that a crash forfeits what the node took: fewer are let through, never more. Errors
 * are those of `TaskStorage`.
 */
import type { RatePolicy } from "../accounts/account.ts"

export interface RateStorage {
  /** Microseconds since the epoch; 0 if none was taken yet. */
  readRate(name: RateName): Promise<number>
  /**
   * Advances the moment from `from` to `to` (microseconds); durable once resolved. False, and nothing is
   * changed, if it is not `from`: another node was quicker.
   */
  advanceRate(request: RateName & { readonly from: number; readonly to: number }): Promise<boolean>
}

export interface RateName {
  readonly account: string
  readonly policy: RatePolicy
}
