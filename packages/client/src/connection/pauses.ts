/** Pauses that grow, each spread over a range, so that clients don't move in step. */
import type { ClientSettings } from "../settings.ts"

type Numbers = Pick<
  ClientSettings,
  "firstPauseMs" | "longestPauseMs" | "firstPollMs" | "longestPollMs" | "longestRetryAfterMs"
>

/** After a failed try, counted from 1; never less than the service asks for. */
export function toRetryPauseMs(
  tried: number,
  askedMs: number | undefined,
  { firstPauseMs, longestPauseMs }: Numbers,
  random: () => number,
): number {
  const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** (tried - 1))
  const own = grown * (0.5 + random() / 2)
  return Math.round(Math.max(own, askedMs === undefined ? 0 : askedMs + random() * firstPauseMs))
}

/** After a look at an unfinished task, counted from 0 for its submission. */
export function toPollPauseMs(
  looks: number,
  askedMs: number | undefined,
  { firstPollMs, longestPollMs, longestRetryAfterMs }: Numbers,
  random: () => number,
): number {
  const grown = Math.min(longestPollMs, firstPollMs * 1.5 ** looks)
  const asked = Math.min(askedMs ?? 0, longestRetryAfterMs)
  return Math.round(Math.max(grown, asked) * (1 + random() / 4))
}
