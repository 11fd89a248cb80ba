/**
 * Where request rates are counted for good: one moment for each account and policy, that of the
 * last request which was let through in theory (GCRA). Nodes take slices of it in advance by
 * moving it on, so a crash forfeits what it took: fewer are let through, never more.
 */
import type { RatePolicy } from "../accounts/account.ts"

export interface RateStorage {
  /** Microseconds since the epoch; 0 where none was taken yet. */
  readRate(name: RateName): Promise<number>
  /**
   * Moves the moment on, from `from` to `to` (microseconds); durable once resolved. False where it is
   * not at `from`: somebody else was quicker.
   */
  advanceRate(request: RateName & { readonly from: number; readonly to: number }): Promise<boolean>
}

export interface RateName {
  readonly account: string
  readonly policy: RatePolicy
}
