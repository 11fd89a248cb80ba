/**
 * What all nodes that share a database know of channels: which ones an operator has paused, and what
 * the tasks say of them. A channel is known by its name alone; nothing here tells whether a node serves
 * it. Errors are those of `TaskStorage`.
 */

export interface ChannelStorage {
  /** The channels that get no new task, by name in the order of its bytes. */
  listPausedChannels(): Promise<readonly PausedChannel[]>
  /** Durable once resolved. A channel that is paused already stays so since the earlier moment. */
  pauseChannel(pause: PausedChannel): Promise<void>
  /** Ends a pause, if there is one; durable once resolved. */
  resumeChannel(channel: string): Promise<void>
  /**
   * How many unfinished tasks each channel has, or may have: dispatched, doubtful or running. Reads the
   * tasks that were dispatched, and no new task. In any order; none for a channel without a task.
   * Rejects with `overloaded` if too many sums wait.
   */
  countInFlight(): Promise<readonly ChannelLoad[]>
  /**
   * How the attempts ended that ended in a period, and what they cost, by channel and model in the order
   * of their bytes. A task ends with its last attempt; an attempt before it counts if it was billed.
   * Rejects with `overloaded` if too many sums wait.
   */
  sumOutcomes(request: OutcomesRequest): Promise<readonly ChannelOutcomes[]>
}

export interface PausedChannel {
  readonly channel: string
  /** Milliseconds. */
  readonly pausedAt: number
}

export interface ChannelLoad {
  readonly channel: string
  readonly tasks: number
}

export interface OutcomesRequest {
  /** Milliseconds, inclusive. */
  readonly from: number
  /** Milliseconds, exclusive. */
  readonly to: number
}

/** Sums of `OutcomeRow`s; money in micro-units. */
export interface ChannelOutcomes {
  readonly channel: string
  readonly model: string
  /** Tasks. */
  readonly succeeded: number
  readonly failed: number
  /** What accounts were charged for them. */
  readonly chargeMicros: number
  /** What providers said they charged, if they said it in money. */
  readonly toldMicros: number
  /** The rest, by unit prices. */
  readonly computedMicros: number
  /** Attempts that were billed, or may have been, and whose cost is unknown. */
  readonly unknown: number
  /** From the dispatch to the end: of all that succeeded together, and of the longest. */
  readonly succeededMs: number
  readonly longestMs: number
}
