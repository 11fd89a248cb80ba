/** A request of this API, as what answers it gets it. */
import type { Client } from "@safelight/client"

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
  /** Unix time, ms. */
  readonly now: () => number
  /** How long a call waits for its task, ms. */
  readonly patienceMs: number
}
