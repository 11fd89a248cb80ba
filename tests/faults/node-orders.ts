/** What a node under test is told at its start and while it runs, and what it says. */
import type { ProbePoint } from "@safelight/core"
import type { EngineSettings } from "@safelight/engine"
import type { UpstreamKind } from "./creations.ts"

export interface NodeOptions {
  /** What the upstream knows it by. */
  readonly name: string
  /** A folder for SQLite, or `postgres://…`. */
  readonly storage: string
  readonly artifacts: string
  readonly upstream: string
  /** The secret with which all nodes sign the log. */
  readonly signingKey: string
  /** What it does to itself when it passes a point for the n-th time. */
  readonly trap?: Trap
  /** Its sweeps are done as if it were this much later. */
  readonly sweepsAheadMs?: number
  /** How far its wall clock is off from the start. */
  readonly clockOffsetMs?: number
  /** In place of `SETTINGS`, member by member. */
  readonly settings?: Partial<EngineSettings>
  /** Tasks of a channel that it has in hand at once; few by default, so that a queue forms. */
  readonly concurrency?: number
  /** Whether it knows the newest price table, or only the one before it; the latter by default. */
  readonly hasNewPrices?: boolean
  /** Whether it serves nothing that a client asks for. */
  readonly isNarrow?: boolean
}

export interface Trap {
  readonly point: ProbePoint
  readonly nth: number
  readonly signal: "SIGKILL" | "SIGSTOP"
  /** Only passes of tasks that this kind of channel has count. */
  readonly kind?: UpstreamKind
}

export type Order =
  /** Its wall clock is off by this much from now on. */
  | { readonly kind: "jump"; readonly offsetMs: number }
  /** Puts of artifacts fail, as on a full disk, in the middle of what they write. */
  | { readonly kind: "disk"; readonly isFull: boolean }
  /** Carries every task to its end, then says so. */
  | { readonly kind: "drain" }
  /** Tells everything that is to be told by webhooks, then says so. */
  | { readonly kind: "tell" }
  /** Ends as it should. */
  | { readonly kind: "stop" }

export type Saying =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "drained" }
  | { readonly kind: "told" }

/** Every node's: what it tells of a task is the same to the letter. */
export const PUBLIC_URL = "http://127.0.0.1"

/** Small numbers, so that a takeover takes a moment; above what a busy machine needs for a turn. */
export const CLAIM_MS = 1_500

/** Longer than any part of a short round: what ends by it was in doubt, or waited for very long. */
export const END_AFTER_MS = 240_000

export const INPUT_RETENTION_MS = 100 * 86_400_000

export const SETTINGS: Partial<EngineSettings> = {
  leaseMs: CLAIM_MS,
  backoffMs: 20,
  backoffMaxMs: 200,
  idlePollMs: 50,
  pollTimeoutMs: 500,
  endAfterMs: END_AFTER_MS,
  // The upstream misbehaves on purpose: a breaker that opened for long would only stop the load.
  breakerOpenMs: 100,
  // Proofs of non-creation are a good part of the script.
  maxAttempts: 12,
  // Rounds sweep days ahead, while their clients still ask again under the same keys.
  idempotencyMs: 100 * 86_400_000,
  // By its prompt the oracle knows whose task it is.
  inputRetentionMs: INPUT_RETENTION_MS,
}

/** Small numbers again: a try is over soon, and a dead node's is made by another soon after. */
export const WEBHOOK_SETTINGS = { timeoutMs: 400, leaseMs: 2_000, pollMs: 100 } as const

/** A stream shows each second that it stands. */
export const STREAM_BEAT_MS = 500

/** So short that keys are looked up all the time. */
export const KEY_BELIEVED_MS = 50
