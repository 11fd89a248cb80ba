/**
 * Why a command was refused: a value, never thrown. The caller can act on each of them; a failure of the
 * outside is a `SafelightError`.
 */
import type { ParameterIssue } from "../models/parameter-issue.ts"
import type { UnavailableReason } from "../models/unavailable-reason.ts"
import type { EventType } from "./events.ts"
import type { TaskState } from "./task.ts"

export type Rejection =
  /** The account is not a name (`isAccountName`). */
  | { readonly code: "invalid-account" }
  /** The idempotency key, or its fingerprint, is malformed (`isIdempotencyKey`). */
  | { readonly code: "invalid-idempotency-key" }
  /** The labels are not as `findLabelFault` allows; `fault` is its words. */
  | { readonly code: "invalid-labels"; readonly fault: string }
  /** More services than `MAX_HOPS` have passed the request on: they form a circle. */
  | { readonly code: "too-many-hops" }
  | { readonly code: "model-not-found"; readonly model: string }
  /** No process that works on tasks can make it now. */
  | {
      readonly code: "model-unavailable"
      readonly model: string
      readonly reason: UnavailableReason
    }
  | { readonly code: "invalid-parameters"; readonly issues: readonly ParameterIssue[] }
  /** The task could be charged more than the request allows. */
  | {
      readonly code: "max-cost-exceeded"
      readonly costMicros: number
      readonly maxCostMicros: number
    }
  /** The time of the quote is over, or tasks are priced by another table by now. */
  | { readonly code: "quote-expired" }
  /** The account's charges and reservations leave no room for the task. */
  | { readonly code: "budget-exceeded" }
  | { readonly code: "too-many-unfinished-tasks" }
  /** The idempotency key stands for another request. */
  | { readonly code: "idempotency-key-reused" }
  /** A request with the same idempotency key is being accepted right now. */
  | { readonly code: "idempotency-key-in-use" }
  /** The machine does not take the event in this state. */
  | { readonly code: "illegal-transition"; readonly state: TaskState; readonly event: EventType }
  /** The report is about an attempt that another one has replaced. */
  | { readonly code: "stale-attempt"; readonly attempt: number; readonly current: number }
  /** The report is about a dispatch of the attempt that the database has lost, and another one made since. */
  | { readonly code: "stale-dispatch"; readonly lease: string; readonly current: string }
  /** The acceptance answers a call under a key that another one has replaced. */
  | { readonly code: "stale-key"; readonly upstreamKey: string; readonly current: string }
  /** The task's `endBy` has passed: only its end may still be recorded. */
  | { readonly code: "past-deadline"; readonly endBy: number }
  | { readonly code: "attempts-exhausted"; readonly maxAttempts: number }
  /** The last artifact's time has passed. */
  | { readonly code: "artifacts-expired"; readonly expiredAt: number }
  /** It is too early for the command. */
  | { readonly code: "not-due"; readonly dueAt: number }
