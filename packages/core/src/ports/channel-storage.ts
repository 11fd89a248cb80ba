/**
 * What all nodes that share a database know of channels: which ones an operator has paused, and what
 * tasks tell of them. A channel is known by its name alone; whether any node serves it is not told here.
 */

export interface ChannelStorage {
  /** The channels that get nothing new, by name in the order of its bytes. */
  listPausedChannels(): Promise<readonly PausedChannel[]>
  /** Durable once resolved. A channel that is paused already stays so since the earlier moment. */
  pauseChannel(pause: PausedChannel): Promise<void>
  /** Ends a pause, if there is one; durable once resolved. */
  resumeChannel(channel: string): Promise<void>
  /**
   * How many unfinished tasks each channel has, or may have, in its hands: asked and not answered, in
   * doubt, or running. Walks the tasks that were begun, and no start that waits for its turn. In any
   * order; none for a channel without a task.
   */
  countInFlight(): Promise<readonly ChannelLoad[]>
  /**
   * What came of tasks submitted from a moment on, by the channel that was asked last. Looks at the
   * newest `limit` tasks by id and at no others, so that it never walks the log.
   */
  sumOutcomes(request: OutcomesRequest): Promise<Outcomes>
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
  readonly createdSince: number
  /** No task of that time has a lower id, in the order of its bytes. */
  readonly fromId: string
  /** At least 1. */
  readonly limit: number
}

export interface Outcomes {
  /** In any order; none for a channel without a finished task. */
  readonly channels: readonly ChannelOutcomes[]
  /** Whether there were no more tasks than were looked at. */
  readonly isWhole: boolean
}

/** Finished tasks. */
export interface ChannelOutcomes {
  readonly channel: string
  readonly succeeded: number
  readonly failed: number
  /** What accounts were charged for them. */
  readonly chargeMicros: number
}
