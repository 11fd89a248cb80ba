/**
 * The bounds of latency histograms, in seconds. Two and a half apart: a quantile read from them is
 * off by less than that, and a series stays at some fifteen lines.
 */

/** From a read that is in memory to one that somebody gives up on. */
export const CALL_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

/** From a channel beside us to a provider's long poll. */
export const CHANNEL_BOUNDS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60, 120,
] as const
