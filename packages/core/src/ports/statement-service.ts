/**
 * What an account was charged, for the account itself: each item of its bill with what the log proves of it. What a
 * reader would get wrong: the amount of an item is what the bill has, and so what the sums of usage count. What the
 * log makes of it is in the evidence, and a difference in the finding.
 */
import type { QuoteLine } from "../money/quote.ts"
import type { ModelPrice } from "../money/prices.ts"
import type { Usage } from "../task/events.ts"
import type { ChargeRow } from "../task/projection.ts"
import type { ShownEvent } from "../task/stored-event.ts"
import type { ChargeListRequest, ChargePage } from "./account-storage.ts"

export interface StatementService {
  /**
   * A page of the account's charges by the moment at which their tasks ended, then by task, as
   * `AccountStorage.listCharges` promises. Damage of the log is told in the charges that it is about. Reads all events
   * of the tasks on the page: a caller bounds the page, and how many it asks for at a time. Rejects as the storage
   * does.
   */
  readStatement(request: ChargeListRequest): Promise<StatementPage>
}

export interface StatementPage extends Pick<ChargePage, "next"> {
  readonly charges: readonly StatedCharge[]
}

export interface StatedCharge {
  /** As the bill has it. */
  readonly item: ChargeRow
  /** Null if the log does not make this item, or can't be read. */
  readonly evidence: ChargeEvidence | null
  /** Null if the item follows from the log. */
  readonly finding: StatedFinding | null
}

/** What the log says of a charge. Money is in integer micro-units. */
export interface ChargeEvidence {
  readonly outcome: "succeeded" | "failed"
  /** As measured; null if the task used nothing, and then the charge differs. */
  readonly usage: Usage | null
  /** What the task was accepted under. */
  readonly price: NamedPrice
  /** Added up, times their factors, they make `measuredMicros`. Empty if the model has an arithmetic of its own. */
  readonly lines: readonly QuoteLine[]
  /** What usage and price make; null if that can't be told. */
  readonly measuredMicros: number | null
  /** What was reserved for the task, and the most that it is charged. */
  readonly limitMicros: number
  readonly event: ChargingEvent
}

/** The event that charged the task. */
export interface ChargingEvent {
  /** 1, 2, 3… within the task. */
  readonly version: number
  /** Null where the account may know no hash of it (`task/shown-event.ts`). */
  readonly shown: ChainedEvent | null
}

export interface ChainedEvent {
  readonly event: ShownEvent
  /** The hash of the task's event before. With it, the hash of this one can be computed. */
  readonly previousHash: string
}

export interface NamedPrice {
  /** As the task names it: `2026-11#1a2b3c4d`. */
  readonly version: string
  /** SHA-256 of the price's definition, 64 lower-case hexadecimal digits; null if the version names none. */
  readonly digest: string | null
  /** Null if neither the database nor the configuration has it. */
  readonly price: ModelPrice | null
}

export interface StatedFinding {
  /**
   * `item-differs`: the log charges the task something else than the item says. `not-in-log`: it does not charge it to
   * this account at this moment. `log-damaged`: the task's events are not those that were written. `charge-differs`:
   * usage and price make another charge. `not-judged`: what usage and price make can't be told here.
   */
  readonly code: StatedFindingCode
  /** What the task must be charged; null if that can't be told. */
  readonly expectedMicros: number | null
}

export const STATED_FINDINGS = [
  "item-differs",
  "not-in-log",
  "log-damaged",
  "charge-differs",
  "not-judged",
] as const

export type StatedFindingCode = (typeof STATED_FINDINGS)[number]
