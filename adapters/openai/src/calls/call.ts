/** A request of this API, as what answers it gets it. */
import type { Client, FetchLike } from "@safelight/client"
import type { KnownModels } from "../models/known-models.ts"
import type { Held } from "./budget.ts"
import type { Purchases } from "./purchases.ts"

export interface Call {
  /** Calls the service's own handler with the caller's key. Made when it is asked for: most images need none. */
  readonly client: Client
  /** Cancels a task as far as it can be stopped, and waits where the service asks for a pause: nobody waits for this. */
  readonly cancel: (task: string) => Promise<unknown>
  /** The same for what the client has no method for; the key is not sent by itself. */
  readonly fetch: FetchLike
  readonly request: Request
  /** The body: a `FormData`, or a value of JSON. It is read once, and empty afterwards. */
  readonly message: unknown
  /** Nothing of the body is needed any more. */
  readonly onTaken: () => void
  /** The most that the task may cost, in micro-units. */
  readonly maxCostMicros: number | undefined
  /** The caller has left, or the service stops. Made when it is asked for, like the client. */
  readonly signal: AbortSignal
  /** What a refusal has to tell, whatever it is for. */
  readonly told: {
    /** The id of the task that was bought or found. */
    task?: string
  }
  /** The caller has left. */
  readonly left: AbortSignal
  /** Of the bytes that the answer has in it. */
  readonly held: Held
  readonly models: KnownModels
  readonly purchases: Purchases
  /** Unix time, ms. */
  readonly now: () => number
  /** How long a call waits for its task, ms. */
  readonly patienceMs: number
}
