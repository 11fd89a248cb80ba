/**
 * The buckets of latency histograms, in seconds. Each is about 2.5 times the one before: a quantile that is read
 * from them is off by less than that factor, and a series has some fifteen lines.
 */

/** From a read in memory to one that its caller gives up on. */
export const CALL_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** From a channel on the same machine to a provider's long poll. */
export const CHANNEL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60, 120]
