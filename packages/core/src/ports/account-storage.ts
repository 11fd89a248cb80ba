/**
 * Accounts, and what their tasks add up to. Totals are derived from the log like every read model;
 * they are kept as a row only for accounts that have a budget or a bound on unfinished tasks, so
 * that others touch no row in common (design §4).
 */
import type { Account, AccountSettings, AccountTotals } from "../accounts/account.ts"

export interface AccountStorage {
  findAccount(id: string): Promise<Account | undefined>
  /** Every account, by id in the order of its bytes. */
  listAccounts(): Promise<readonly Account[]>
  /**
   * Makes the account where it is missing and sets the members given; durable once resolved. With
   * its first bound its totals are counted, in the same commit as the bound is set, so no task
   * falls between.
   */
  setAccount(change: AccountChange): Promise<Account>
  /**
   * As kept, or counted where no row is kept; zeros for an unknown account. Counting takes time
   * with the tasks in the queue, since those are what is unfinished, and with the account's charges.
   */
  readTotals(account: string): Promise<AccountTotals>
  /** Every account with a bound: its totals as kept, beside what its rows add up to at the same moment. */
  scanTotals(): Promise<readonly KeptTotals[]>
  /** What an account's tasks cost that finished in a period; ordered by model and price version. */
  sumCharges(request: ChargesRequest): Promise<readonly ChargeSum[]>
}

export interface AccountChange {
  readonly id: string
  /** When the account is made, if it is. */
  readonly now: number
  readonly settings: Partial<AccountSettings>
}

export interface KeptTotals {
  readonly account: string
  /** Null where the row is missing: a storage then refuses the account's submissions. */
  readonly kept: AccountTotals | null
  readonly counted: AccountTotals
}

export interface ChargesRequest {
  readonly account: string
  /** Milliseconds, inclusive. */
  readonly from: number
  /** Milliseconds, exclusive. */
  readonly to: number
}

export interface ChargeSum {
  readonly model: string
  readonly priceVersion: string
  readonly tasks: number
  readonly images: number
  readonly outputVideoMs: number
  /** Input video as billed: the rules of specification §8 applied task by task. */
  readonly billedInputMs: number
  readonly chargeMicros: number
}
