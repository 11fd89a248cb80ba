/** Settings that nobody needs to touch, each with its reason. */
export const DEFAULTS = {
  /** Two share a crowd: one is prepared while the other is committed. More do almost nothing. */
  lanes: 2,
  /** Look-ups and short changes: connections that callers share, and others for transactions of several statements. */
  reading: { shared: 3, transactions: 2 },
  /** Takings and heartbeats. */
  taking: { shared: 1, transactions: 1 },
  /** A connection that was not made by then is not made. */
  connectTimeoutMs: 5_000,
  /** The server gives a statement up by itself: nobody waits for its answer any more. */
  statementTimeoutMs: 15_000,
  /** A commit waits this long for a row that somebody else holds; then it is looked for alone. */
  lockTimeoutMs: 3_000,
  /** What a stopped process holds is given free after this: before others that wait give up. */
  idleTransactionMs: 5_000,
  /** Silence after which a connection is probed: one that nobody answers is noticed. */
  keepAliveMs: 10_000,
  /** A reply that has not come by then never will: longer than the server's own patience. */
  replyTimeoutMs: 20_000,
} as const
