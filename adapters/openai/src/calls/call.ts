/** A request of this API, as what answers it gets it. */
import type { Client } from "@safelight/client"
import type { Held } from "./budget.ts"
import type { Purchases } from "./purchases.ts"

export interface Call {
  /** Calls the service's own handler with the caller's key. */
  readonly client: Client
  readonly request: Request
  /** The body, parsed. */
  readonly message: unknown
  /** The most that the task may cost, in micro-units. */
  readonly maxCostMicros: number | undefined
  /** The caller has left, or the service stops. */
  readonly signal: AbortSignal
  /** The caller has left. */
  readonly left: AbortSignal
  /** Of the bytes that the answer has in it. */
  readonly held: Held
  readonly purchases: Purchases
  /** Unix time, ms. */
  readonly now: () => number
  /** How long a call waits for its task, ms. */
  readonly patienceMs: number
}
