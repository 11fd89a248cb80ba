/**
 * What callers and the operator were told while a round went on: each is a promise from the moment that
 * the answer came. Every moment is of the process that no fault touches.
 */
import type { ToldCancellation } from "./judge-cancellations.ts"

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
  readonly cancellations: readonly ToldCancellation[]
  readonly refusals: readonly ToldRefusal[]
}

export const NOTHING_TOLD: Told = { acceptances: [], cancellations: [], refusals: [] }

/** The same while it is written down. */
export type Telling = { readonly [Kind in keyof Told]: Told[Kind][number][] }

export function createTelling(): Telling {
  return { acceptances: [], cancellations: [], refusals: [] }
}
