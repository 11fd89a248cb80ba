/**
 * Accounts, and the totals of their tasks. Totals are derived from the log like every read model. A row
 * of them is kept only for accounts that have a budget or a limit of unfinished tasks, so that others
 * touch no row in common (design §4). Errors are those of `TaskStorage`.
 */
import type { Account, AccountSettings, AccountTotals } from "../accounts/account.ts"
import type { Labels } from "../labels/labels.ts"
import type { ChargeRow } from "../task/projection.ts"

export interface AccountStorage {
  /** The account; undefined for an unknown one, which has no limits. */
  findAccount(id: string): Promise<Account | undefined>
  /** Every account, by id in the order of its bytes. */
  listAccounts(): Promise<readonly Account[]>
  /**
   * Makes the account if it is missing and sets the members given; durable once resolved. Its totals
   * are counted in the commit that sets its first limit, so that no task is missed. Twice is the same
   * as once.
   */
  setAccount(change: AccountChange): Promise<Account>
  /**
   * As kept, or counted if no row is kept; zeros for an unknown account. The time of counting grows
   * with the tasks in the queue, since those are unfinished, and with the account's charges. Rejects
   * with `overloaded` if too many sums wait.
   */
  readTotals(account: string): Promise<AccountTotals>
  /** Every account with a limit: its totals as kept, and the sums of its rows at the same moment. */
  scanTotals(): Promise<readonly KeptTotals[]>
  /**
   * What an account's tasks cost that finished in a period; ordered by model and price version. Rejects
   * with `overloaded` if too many sums wait.
   */
  sumCharges(request: ChargesRequest): Promise<readonly ChargeSum[]>
  /**
   * The items of an account's bill for a period, by the moment at which their tasks finished, then by task: UUIDs in
   * the order of their bytes. A reader who follows the list to its end sees every item that was there all the while.
   */
  listCharges(request: ChargeListRequest): Promise<ChargePage>
}

export interface AccountChange {
  readonly id: string
  /** When the account is made, if it is. */
  readonly now: number
  readonly settings: Partial<AccountSettings>
}

export interface KeptTotals {
  readonly account: string
  /** Null if the row is missing: a storage then refuses the account's submissions. */
  readonly kept: AccountTotals | null
  readonly counted: AccountTotals
}

export interface ChargesRequest {
  readonly account: string
  /** Milliseconds, inclusive. */
  readonly from: number
  /** Milliseconds, exclusive. */
  readonly to: number
  /** Counts tasks with every one of these; none is as good as absent. */
  readonly labels?: Labels
}

export interface ChargeListRequest extends Omit<ChargesRequest, "labels"> {
  /** Where the page before ended; absent: from the beginning of the period. */
  readonly after?: ChargePosition
  /** At least 1. */
  readonly limit: number
}

/** A position in the list of charges; no charge needs to be there. */
export type ChargePosition = Pick<ChargeRow, "at" | "task">

export interface ChargePage {
  readonly charges: readonly ChargeRow[]
  /** Where the next page begins; null at the end. */
  readonly next: ChargePosition | null
}

export interface ChargeSum {
  readonly model: string
  readonly priceVersion: string
  readonly tasks: number
  readonly images: number
  readonly outputVideoMs: number
  readonly outputAudioMs: number
  readonly characters: number
  readonly tokens: number
  /** Input video as billed: the rules of specification §8 applied task by task. */
  readonly billedInputMs: number
  readonly chargeMicros: number
}
