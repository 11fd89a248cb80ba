/**
 * The durations of the model, in its own milliseconds: small, and each in the relation to the
 * others that the engine's settings have. What a reader would get wrong: a request may arrive long
 * after its caller has given it up (`LONGEST_REQUEST_MS` against `SUBMIT_TIMEOUT_MS`).
 */
import type { World } from "./world.ts"

/** A lease whose heartbeats stand still for this long may be expired. */
export const LEASE_MS = 30

/** Two heartbeats may fail before a lease runs out. */
export const BEAT_EVERY_MS = LEASE_MS / 3

/** How long the answer to a heartbeat is waited for: what comes later would renew nothing any more. */
export const BEAT_PATIENCE_MS = LEASE_MS

/** How long a caller waits for the channel's answer. */
export const SUBMIT_TIMEOUT_MS = 10

/** How long a request may take to leave: longer than a lease holds. */
export const SEND_WITHIN_MS = 2 * LEASE_MS

/** How long a request may be under way: longer than anybody waits for its answer, or holds a lease. */
export const LONGEST_REQUEST_MS = 40

/** How long a node waits for its storage, or for a question to a channel, before it asks again. */
export const PATIENCE_MS = 5

/** By how much the wall clocks of two nodes may differ where a key's lifetime rests on them. */
export const WALL_SKEW_MS = 10

/** A wall clock that nothing rests on may be wrong by this much, and jump. */
export const WALL_ERROR_MS = 500

/** Where time is short, both a key's lifetime and a task's end come within a schedule. */
export const TIGHT = { keyMemoryMs: 210, endAfterMs: 460, maxAttempts: 5 } as const

/** Where there is time enough nothing but the faults can keep a task from its success. */
export const ROOMY = { keyMemoryMs: 1_000_000, endAfterMs: 100_000, maxAttempts: 5 } as const

/** The engine's pauses and its breaker, where a lease's minute is `LEASE_MS`. */
export const BACKOFF_MS = 1
export const BACKOFF_MAX_MS = 15
export const BREAKER_FAILURES = 5
export const BREAKER_OPEN_MS = 7

/** How long a provider may be away: minutes, where a lease's minute is `LEASE_MS`. */
export const AWAY_MS = 10 * LEASE_MS

/**
 * The pause before try `attempt` (from 1): doubling, bounded. Only where a provider may be away, since
 * nothing but time depends on it and harm is found sooner without.
 */
export function toBackoffMs({ setup }: World, attempt: number): number {
  if (!setup.faults.includes("away")) return 0
  return Math.min(BACKOFF_MS * 2 ** Math.max(0, attempt - 1), BACKOFF_MAX_MS)
}

/**
 * What a channel may declare as `keyTtlMs` when its upstream remembers a key for `keyMemoryMs`: a
 * repeat sent in time must also arrive in time, by clocks that differ.
 */
export function toDeclaredKeyTtlMs(keyMemoryMs: number): number {
  return keyMemoryMs - (SEND_WITHIN_MS + LONGEST_REQUEST_MS - SUBMIT_TIMEOUT_MS) - WALL_SKEW_MS
}
