/**
 * What callers and the operator were told while a round went on: each is a promise from the moment that
 * the answer came. Every moment is of the process that no fault touches.
 */
import type { Book } from "./judge-books.ts"
import type { ToldCancellation } from "./judge-cancellations.ts"
import type { ToldErasure } from "./judge-erasures.ts"
import type { RefusedHold, ToldHold } from "./judge-holds.ts"
import type { ToldRevocation, ToldSuspension } from "./judge-keys.ts"
import type { AccountSample, ToldLimits } from "./judge-limits.ts"
import type { ToldQuote } from "./judge-terms.ts"

/** A 202. */
export interface ToldAcceptance {
  readonly request: number
  readonly task: string
  readonly account: string
  /** The id of the API key. */
  readonly key: string
  /** The last byte of the request was sent no sooner. */
  readonly sentAt: number
  readonly at: number
}

/** An answer that a request of this account and key is not allowed, or not now. */
export interface ToldRefusal {
  readonly account: string
  readonly key: string
  readonly status: number
  readonly code: string
  readonly sentAt: number
  readonly at: number
}

export interface Told {
  readonly acceptances: readonly ToldAcceptance[]
  /** Requests of which a try may go on somewhere: it had no answer, or one that leaves it open. */
  readonly adrift: readonly number[]
  readonly books: readonly Book[]
  readonly cancellations: readonly ToldCancellation[]
  readonly erasures: readonly ToldErasure[]
  readonly holds: readonly ToldHold[]
  readonly refusedHolds: readonly RefusedHold[]
  readonly limits: readonly ToldLimits[]
  readonly quotes: readonly ToldQuote[]
  readonly refusals: readonly ToldRefusal[]
  /** Tasks in doubt that the operator settled, or tried to. */
  readonly resolved: readonly string[]
  readonly revocations: readonly ToldRevocation[]
  readonly samples: readonly AccountSample[]
  readonly suspensions: readonly ToldSuspension[]
}

/** The same while it is written down. */
export type Telling = { readonly [Kind in keyof Told]: Told[Kind][number][] }

export function createTelling(): Telling {
  return {
    acceptances: [],
    adrift: [],
    books: [],
    cancellations: [],
    erasures: [],
    holds: [],
    refusedHolds: [],
    limits: [],
    quotes: [],
    refusals: [],
    resolved: [],
    revocations: [],
    samples: [],
    suspensions: [],
  }
}

export const NOTHING_TOLD: Told = createTelling()
