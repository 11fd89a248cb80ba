/** One question to a channel: how the work stands. */
import { isSafelightError, type Channel, type PollOutcome, type PollRequest } from "@safelight/core"
import type { Context } from "../host/context.ts"

export interface PollBound {
  /** How long the channel may take, ms. */
  readonly boundMs: number
  readonly signal: AbortSignal
}

/**
 * A channel that is still quiet when its time is up brought no news, and that is no failure. Rejects
 * as the channel does, and with `aborted` on the signal.
 */
export async function pollChannel(
  { clock, deadlines }: Context,
  channel: Channel,
  request: PollRequest,
  { boundMs, signal }: PollBound,
): Promise<PollOutcome> {
  const startedAt = clock.monotonicNow()
  try {
    return await deadlines.run(boundMs, signal, (bound) =>
      channel.poll({ ...request, signal: bound }),
    )
  } catch (error) {
    const isQuiet = isSafelightError(error) && error.code === "aborted"
    if (!isQuiet || clock.monotonicNow() - startedAt < boundMs) throw error
    return { kind: "running", pollAfterMs: 0 }
  }
}
