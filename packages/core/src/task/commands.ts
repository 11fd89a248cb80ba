/**
 * The commands of a task. A report of an end carries its attempt, and the report of an older attempt is
 * refused. An acceptance carries the key of its call: a repeat under the same key has the same
 * operation; if another key was used since, the older one is proved to have created nothing, and the
 * acceptance is refused. A success is adopted whichever call it answers.
 */
import type { Json } from "../values/canonical-json.ts"
import type { AttemptCost } from "../money/cost.ts"
import type { EventData, ManifestEntry, Usage } from "./events.ts"
import type { FailureCode } from "./failure.ts"

export type TaskCommand =
  | { readonly kind: "submit"; readonly submitted: Readonly<EventData<"submitted">> }
  | {
      readonly kind: "dispatch"
      readonly because: string
      readonly channel: string
      readonly lease: string
      readonly sendBefore: number
      readonly upstreamKey: string
    }
  | { readonly kind: "accept"; readonly operation: Json; readonly upstreamKey: string }
  | { readonly kind: "doubt"; readonly attempt: number; readonly code: string }
  | {
      readonly kind: "defer"
      readonly attempt: number
      readonly reason: string
      readonly retryAt: number
      /** Upstream; nothing by default. */
      readonly cost?: AttemptCost
      /** The channel refused the task: another is to be asked. */
      readonly isRefusal?: true
      /** It is the answer to a call: refused if an operation of the task is known already. */
      readonly isAnswer?: true
      /**
       * The lease of the dispatch that it speaks of. A database that lost its last commits may have another
       * dispatch of the same attempt by now, of which it proves nothing. Absent: any of the attempt.
       */
      readonly lease?: string | undefined
    }
  | { readonly kind: "progress"; readonly attempt: number; readonly progress: number }
  | {
      readonly kind: "succeed"
      readonly artifacts: readonly ManifestEntry[]
      readonly chargeMicros: number
      readonly usage: Usage
      /** Upstream; unknown by default. */
      readonly cost?: AttemptCost
    }
  | {
      readonly kind: "fail"
      readonly attempt: number
      readonly code: FailureCode
      readonly message?: string
      /** Present only if the channel reports that it was billed all the same. */
      readonly billed?: { readonly chargeMicros: number; readonly usage: Usage }
      /** Upstream; by default unknown, and nothing while no channel has the task. */
      readonly cost?: AttemptCost
      /** As of `defer`. */
      readonly isAnswer?: true
      /** As of `defer`. */
      readonly lease?: string | undefined
    }
  /** Ends a task that is past `endBy` or out of attempts. */
  | { readonly kind: "time-out" }
  /** Keeps what has not expired until `until`, ms, at least. */
  | { readonly kind: "hold"; readonly until: number }
  /** Records that the last artifact's time has passed. */
  | { readonly kind: "expire" }
