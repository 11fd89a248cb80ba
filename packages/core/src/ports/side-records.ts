/**
 * Side records: what is kept of a task outside its log. No hash covers them as they are, and all of them
 * may be erased while every proof stays valid.
 */

import type { Labels } from "../labels/labels.ts"

/** The name of the input that holds a request's parameters, as canonical JSON. */
export const REQUEST_INPUT = "request"

/**
 * What a person or a provider wrote (design §3). An input never changes until it is erased: a second one of the
 * same task and name changes nothing. What is written after the task's first event is kept only while the
 * request is there: an erasure at the same moment leaves nothing.
 */
export interface Input {
  readonly task: string
  /** `request`, or `provider:<attempt>`. */
  readonly name: string
  /** Hexadecimal; the commitment is SHA-256(salt ‖ body). */
  readonly salt: string
  /** Canonical JSON. */
  readonly body: string
}

/** An idempotency key as an account used it (http-decisions §7). */
export interface IdempotencyUse {
  /** Unique with the append's account. */
  readonly key: string
  /** What the request was, as 64 lower-case hexadecimal digits. */
  readonly fingerprint: string
  readonly usedAt: number
}

export interface SideRecords {
  /** By name. */
  readonly inputs: readonly Input[]
  readonly labels: Labels
  /** By key. */
  readonly idempotency: readonly IdempotencyUse[]
  /** Of artifacts whose links were revoked, by key. */
  readonly linkEpochs: readonly ArtifactLinkEpoch[]
}

export interface ArtifactLinkEpoch {
  /** The artifact's key. */
  readonly key: string
  /** At least 1. */
  readonly epoch: number
}
