/**
 * Waits until a paused channel has nothing in flight.
 *
 *     paused ── nodes notice ── in flight > 0 ── … ── 0 → over
 *                                    └ time is up → over, with what is left
 */
import type { Clock, Storage } from "@safelight/core"

export interface DrainOptions {
  readonly timeoutMs: number
  /** Told at each look how many tasks the channel has. */
  readonly onLook?: (inFlight: number) => void
}

/** Longer than a node takes to notice a pause, and to record what it was about to send. */
const NOTICE_MS = 6_000
const LOOK_MS = 1_000

/** Resolves to the number of tasks left. A count proves nothing until every node has noticed the pause. */
export async function waitUntilEmpty(
  storage: Pick<Storage, "countInFlight">,
  clock: Pick<Clock, "monotonicNow" | "wait">,
  channel: string,
  { onLook, timeoutMs }: DrainOptions,
): Promise<number> {
  const beganAt = clock.monotonicNow()
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    const loads = await storage.countInFlight()
    const inFlight = loads.find((each) => each.channel === channel)?.tasks ?? 0
    const passedMs = clock.monotonicNow() - beganAt
    if (passedMs >= NOTICE_MS && (inFlight === 0 || passedMs >= timeoutMs)) return inFlight
    onLook?.(inFlight)
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await clock.wait(LOOK_MS)
  }
}
