/** Growing pauses with jitter, so that clients don't retry or poll in step. */
import type { ClientSettings } from "./settings.ts"

type Numbers = Pick<
  ClientSettings,
  | "firstPauseMs"
  | "longestPauseMs"
  | "firstPollMs"
  | "longestPollMs"
  | "longestRetryAfterMs"
  | "longestWaitMs"
  | "silenceMs"
>

/** After try number `tried`, from 1. Never shorter than the service asks for. */
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

/** After `looks` polls of an unfinished task. */
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

/**
 * How long the service is asked to wait, in whole seconds: less than its silence may last, and with
 * `isWatched` no longer than the pause between two polls would be, since only answers show progress.
 */
export function toWaitSeconds(
  looks: number,
  isWatched: boolean,
  { firstPollMs, longestPollMs, longestWaitMs, silenceMs }: Numbers,
): number {
  const mostMs = Math.min(longestWaitMs, silenceMs / 2)
  const pollMs = Math.min(longestPollMs, firstPollMs * 1.5 ** looks)
  return Math.floor((isWatched ? Math.min(pollMs, mostMs) : mostMs) / 1_000)
}
