/** Settings that need no change, each with its reason. */
export const DEFAULTS = {
  /** Two share the load: one batch is prepared while the other is committed. More gain almost nothing. */
  lanes: 2,
  /** Look-ups and short changes: connections that callers share, and others for transactions of several statements. */
  reading: { shared: 3, transactions: 2 },
  /** Takings and heartbeats. */
  taking: { shared: 1, transactions: 1 },
  /** Of a replica, in addition to those above. */
  replica: {
    /** Connections that look-ups share; long reads have one more. */
    shared: 2,
    examineMs: 1_000,
    /** One that does not answer an examination by then is left alone. */
    patienceMs: 2_000,
    mostLagMs: 5_000,
    /** Waits of a read for the replay, which mostly follows within some ms. Then the primary is asked. */
    pausesMs: [1, 4, 15, 30],
  },
  /** An attempt to connect is given up after this. */
  connectTimeoutMs: 5_000,
  /** A connection without an answer for so long is asked for one before it is used: a proxy may have ended it. */
  confirmAfterMs: 500,
  /** The server itself ends a longer statement, whose caller has stopped waiting. */
  statementTimeoutMs: 15_000,
  /** A commit waits this long for a row that another transaction holds; then the change is found by halving. */
  lockTimeoutMs: 3_000,
  /** Locks of a stopped process are freed after this, before others that wait give up. */
  idleTransactionMs: 5_000,
  /** A connection that is silent for so long is probed, so that a dead one is noticed. */
  keepAliveMs: 10_000,
  /** A reply that has not come by then counts as lost: longer than the server's own time-out. */
  replyTimeoutMs: 20_000,
} as const
