/** Settings that nobody needs to touch, each with its reason. */
export const DEFAULTS = {
  /** Two share a crowd: one is prepared while the other is committed. More do almost nothing. */
  lanes: 2,
  /** Connections for look-ups and short changes. */
  readConnections: 3,
  /** Transactions of several statements at once, each on a connection of its own; none is hot. */
  transactions: 2,
  /** Takings and heartbeats: what they share, and what their transactions have. */
  takeConnections: 1,
  takeTransactions: 1,
  /** Sums that wait or are computed, one after another; past it a sum is refused. */
  mostSums: 64,
  /** Of one account: whoever asks for many periods leaves room for others. */
  mostSumsOfAccount: 16,
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
  /** How long changes are tried again that may be stored already. */
  patienceMs: 30_000,
  /** Whoever asks for a new task is answered by then, however silent the network is. */
  answerMs: 30_000,
  /** How long those wait that were never sent: a server restarts in less. */
  connectPatienceMs: 5_000,
  /** The first pause between two tries; it doubles up to the longest. */
  retryMs: 20,
  retryMaxMs: 1_000,
  /** What a shared connection could not be opened for is told to all who ask meanwhile. */
  reopenMs: 200,
  /** At most twenty wake-ups a second: each costs every listener a look at the queue. */
  wakeMs: 50,
} as const
