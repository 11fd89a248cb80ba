/** How long to wait before asking again, within reason. */
import { toRetryAfterMs } from "@safelight/core"

/** "Poll every few seconds" (specification §4) if the service does not say. */
const USUAL_MS = 2_000
/** Nobody who waits at a terminal is served by a longer silence. */
const LONGEST_MS = 60_000

/** From the header `Retry-After`. */
export function toWaitMs(header: string | null, now: number): number {
  const askedMs = header === null ? undefined : toRetryAfterMs(header, now)
  return Math.min(askedMs ?? USUAL_MS, LONGEST_MS)
}
