/**
 * An account owns tasks and pays for them; its settings say what it may do. Null means no limit. Accounts
 * of an embedding host need no record: an account that the storage does not know has no limits.
 */

/** What a request counts against (http-decisions §7). */
export const RATE_POLICIES = ["create", "read", "content"] as const

export type RatePolicy = (typeof RATE_POLICIES)[number]

/**
 * All requests may come at once, and one more whenever `windowMs / requests` has passed, up to all
 * again (GCRA). So a window sees fewer than twice as many, a full burst and its refill, and a long
 * time one rate.
 */
export interface Rate {
  /** At least 1. */
  readonly requests: number
  readonly windowMs: number
}

export interface AccountSettings {
  /** The limit of charges and reservations together, integer micro-units. */
  readonly budgetMicros: number | null
  readonly rates: Readonly<Record<RatePolicy, Rate | null>>
  /** How long artifacts are kept, in place of the engine's setting; null for that setting. */
  readonly retentionMs: number | null
  /** How long the account may hold artifacts, from their task's end; 0: it may hold none. */
  readonly maxRetentionMs: number
  /** Whether `content_url` is a private link, for players that can't send headers. */
  readonly signsContentUrls: boolean
  /** Milliseconds; 0 if it is not suspended. */
  readonly suspendedAt: number
  /** Tasks that may be unfinished at once. */
  readonly unfinishedTasks: number | null
  /** Tasks that channels may work on at once, over all nodes; the others wait. */
  readonly runningTasks: number | null
  /** Its share when tasks of several accounts wait: twice the weight, twice the tasks. 1 to 1,000. */
  readonly weight: number
}

export interface Account extends AccountSettings {
  readonly id: string
  readonly createdAt: number
}

/** The settings of an account until one is set. Keeping artifacts longer costs, so it is allowed by name. */
export const NO_LIMITS: AccountSettings = {
  budgetMicros: null,
  rates: { create: null, read: null, content: null },
  retentionMs: null,
  maxRetentionMs: 0,
  signsContentUrls: false,
  suspendedAt: 0,
  unfinishedTasks: null,
  runningTasks: null,
  weight: 1,
}

/** The sums of an account's tasks. */
export interface AccountTotals {
  /** Integer micro-units of finished tasks. */
  readonly chargedMicros: number
  /** Integer micro-units held back for unfinished tasks. */
  readonly reservedMicros: number
  readonly unfinishedTasks: number
}
