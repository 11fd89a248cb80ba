/**
 * When a message is sent again: the schedule that Standard Webhooks recommends, which ends after 75 hours. A
 * tenth of each pause is left to chance, so that what failed together does not come back together.
 */
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

const DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

const JITTER = 0.1

/**
 * Milliseconds until the next try after so many; undefined if there is none. A receiver may ask for a longer
 * pause, but not for one beyond the longest. `random` is from 0 up to 1.
 */
export function toRetryDelayMs(
  tries: number,
  random: number,
  askedMs: number | undefined,
): number | undefined {
  const delayMs = DELAYS_MS[tries - 1]
  if (delayMs === undefined) return undefined
  const jittered = Math.round(delayMs * (1 + JITTER * (2 * random - 1)))
  const longest = DELAYS_MS.at(-1) ?? delayMs
  return Math.max(jittered, Math.min(askedMs ?? 0, longest))
}
