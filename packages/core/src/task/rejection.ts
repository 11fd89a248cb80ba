/**
 * Why a command was refused: a value, never thrown. Everything here is the caller's to act on;
 * that the outside failed is a `SafelightError`.
 */
import type { ParameterIssue } from "../models/parameter-issue.ts"
import type { EventType } from "./events.ts"
import type { TaskState } from "./task.ts"

export type Rejection =
  /** What was given as the account is no name (`isAccountName`). */
  | { readonly code: "invalid-account" }
  /** The idempotency key, or its fingerprint, is none (`isIdempotencyKey`). */
  | { readonly code: "invalid-idempotency-key" }
  /** More services than `MAX_HOPS` have passed the request on: they do it in a circle. */
  | { readonly code: "too-many-hops" }
  | { readonly code: "model-not-found"; readonly model: string }
  | { readonly code: "invalid-parameters"; readonly issues: readonly ParameterIssue[] }
  /** The account's charges and reservations leave no room for the task. */
  | { readonly code: "budget-exceeded" }
  | { readonly code: "too-many-unfinished-tasks" }
  /** The idempotency key stands for another request. */
  | { readonly code: "idempotency-key-reused" }
  /** A request with the same idempotency key is being accepted right now. */
  | { readonly code: "idempotency-key-in-use" }
  /** The machine does not take the event in this state. */
  | { readonly code: "illegal-transition"; readonly state: TaskState; readonly event: EventType }
  /** The report speaks of an attempt that another one has replaced. */
  | { readonly code: "stale-attempt"; readonly attempt: number; readonly current: number }
  /** The acceptance answers a call under a key that another one has replaced. */
  | { readonly code: "stale-key"; readonly upstreamKey: string; readonly current: string }
  /** The task's `endBy` has passed: only its end may still be recorded. */
  | { readonly code: "past-deadline"; readonly endBy: number }
  | { readonly code: "attempts-exhausted"; readonly maxAttempts: number }
  /** The moment for it has not come. */
  | { readonly code: "not-due"; readonly dueAt: number }
