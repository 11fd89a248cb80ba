/**
 * Who works on what: the queue of unfinished tasks, the claims of the processes that work on them,
 * and the slots that bound how many at once. All of it is operational: no event speaks of it.
 *
 * A claim is the text that one boot of a process works under. It holds as long as it is renewed; that
 * it is not is seen by others, each on its own monotonic clock, so no two clocks are ever compared.
 */
import type { StreamHead } from "./stream-head.ts"

export interface QueueStorage {
  /**
   * Takes up to `limit` unclaimed tasks of `models` for `claim`: first those whose moment has come, the
   * earliest first, then starts in the order of their turns. Two callers never get the same task.
   */
  claim(request: ClaimRequest): Promise<readonly Claimed[]>
  /**
   * Shows that whoever works under `claim` is alive: its beats rise. Resolves to the tasks among
   * `tasks` that it still holds; none once it was voided.
   */
  renew(request: RenewRequest): Promise<readonly string[]>
  /**
   * Every claim that holds a task or was renewed, with how often; a count that stands still for long
   * is that of a process which is gone. What is long is judged by the caller's own monotonic clock.
   */
  listClaims(): Promise<readonly ClaimBeats[]>
  /**
   * Ends a claim whose beats still are what they were: everybody may take its tasks, and its slots
   * are free. A task keeps its turn if it was never dispatched; one that was waits for its moment, and
   * so comes before every start. False where the beats differ, and nothing is changed.
   */
  voidClaim(claim: ClaimBeats): Promise<boolean>
  /**
   * Gives up what `claim` holds except `tasks`, in the way that voiding a claim does: tasks that
   * its process does not know of.
   */
  freeOthers(request: RenewRequest): Promise<void>
  /**
   * Has `claim` hold `count` of the `size` slots of a pool, or as many of them as other claims leave;
   * resolves to how many it then holds. All claims together never hold more than `size` by it, and
   * doing it twice is the same as once.
   */
  holdSlots(request: SlotRequest): Promise<number>
  /** How many slots of a pool all claims hold together. */
  countSlots(pool: string): Promise<number>
  /** Gives tasks up so that anybody may take them: from `dueAt` on, or at their turn if they keep it. */
  release(request: ReleaseRequest): Promise<void>
  /** Unfinished tasks whose `endBy` has come, the longest overdue first. */
  findOverdue(request: OverdueRequest): Promise<readonly StreamHead[]>
  /** Finished tasks that retention must look at: orphans, expiry, deletion. */
  findRetained(request: DueRequest): Promise<readonly StreamHead[]>
  /** Sets when retention looks at a task again; null: never. */
  retain(request: { readonly task: string; readonly dueAt: number | null }): Promise<void>
  /** What comes next of the unclaimed tasks of `models`, and how many may be claimed at `now`. */
  peekQueue(request: PeekRequest): Promise<QueuePeek>
  /** The highest turn among the claimed tasks of `models`: how far starts have come; null without one. */
  findStartedTurn(request: Pick<PeekRequest, "models">): Promise<number | null>
  /** How long the queue is, by model, in the order of their names; none for a model without a task. */
  measureQueue(): Promise<readonly QueueMeasure[]>
  /**
   * Calls `listener` when another process has put a task into the queue, soon after and at most some
   * tens of times a second; it may be missed, so a queue must be looked at anyway. Absent where one
   * process is all there is. Returns how to stop.
   */
  onQueued?(listener: () => void): () => void
  /**
   * Has the process that holds the task look at it soon, whichever that is; it may be missed. Absent
   * where one process is all there is.
   */
  wakeHolder?(task: string): void
  /** Calls `listener` with tasks that another process had looked at. Returns how to stop. */
  onHolderWoken?(listener: (task: string) => void): () => void
}

export type QueueChange =
  /** A new task: it waits for its turn, or without one for its moment. */
  | {
      readonly kind: "enqueue"
      readonly dueAt: number
      readonly endBy: number
      /** The claim that has it at once. */
      readonly claim: string | null
      /** Its place among the starts, an integer: the lowest is taken first (design §4). */
      readonly turn: number | null
    }
  /** Waits for its moment from now on, whatever turn it had. */
  | { readonly kind: "reschedule"; readonly dueAt: number; readonly claim: string | null }
  /** Leaves the queue for good; retention looks at the task at `retainAt` (null: never). */
  | { readonly kind: "finish"; readonly retainAt: number | null }

export interface ClaimRequest {
  readonly claim: string
  readonly models: readonly string[]
  /** No starts of these accounts. */
  readonly exceptAccounts?: readonly string[]
  /** No starts at all: what waits for its moment alone. */
  readonly exceptStarts?: true
  readonly now: number
  readonly limit: number
}

export interface Claimed extends StreamHead {
  readonly claim: string
  /** The turn it had; null where it waited for its moment. */
  readonly turn: number | null
}

export interface RenewRequest {
  readonly claim: string
  readonly tasks: readonly string[]
}

export interface ClaimBeats {
  readonly claim: string
  /** How often it was renewed. */
  readonly beats: number
}

export interface SlotRequest {
  /** What the slots are of: a channel, an account. */
  readonly pool: string
  readonly size: number
  readonly claim: string
  /** 0 gives all of them back. */
  readonly count: number
}

export interface ReleaseRequest {
  readonly claim: string
  readonly tasks: readonly string[]
  readonly dueAt: number
  /**
   * Whether a task that was never dispatched keeps the turn that it has: it then waits for that, and
   * for no moment. Without it every task waits for `dueAt` and comes before the starts from then on.
   */
  readonly keepsTurns?: boolean
}

export interface PeekRequest {
  readonly models: readonly string[]
  readonly now: number
  /** Counts up to this many, at least 1. */
  readonly most: number
}

export interface QueuePeek {
  /** The earliest moment of those that wait for one; null where there is none. */
  readonly dueAt: number | null
  /** The lowest turn of the starts; null where there is none. */
  readonly turn: number | null
  /** Those whose moment has come and the starts, counted up to what was asked for. */
  readonly claimable: number
}

export interface QueueMeasure {
  readonly model: string
  /** Tasks that nobody holds. */
  readonly waiting: number
  readonly claimed: number
  /** When the longest waiting one of those that nobody holds was submitted, or became due; null without any. */
  readonly oldestAt: number | null
}

export interface OverdueRequest extends DueRequest {
  /** What is claimed is left to its holder, unless its end was at this moment or before. */
  readonly heldUntil: number
}

export interface DueRequest {
  readonly now: number
  readonly limit: number
}
