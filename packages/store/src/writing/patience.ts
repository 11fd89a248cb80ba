/** How long a writer tries commits that a database does not take. */

export interface Patience {
  /** How long changes are tried again that may be stored already. */
  readonly patienceMs: number
  /** How long those wait that were never sent. */
  readonly connectPatienceMs: number
  /** A caller that asks for a new task is answered by then, however silent the database is. */
  readonly answerMs: number
  /** The first pause between two tries; it doubles up to the longest. */
  readonly retryMs: number
  readonly retryMaxMs: number
}

/** Of a database in this process: what it refuses it refuses for good, and it always answers. */
export const NO_PATIENCE: Patience = {
  patienceMs: 0,
  connectPatienceMs: Infinity,
  answerMs: Infinity,
  retryMs: 0,
  retryMaxMs: 0,
}

/** Of a server behind a network. */
export const SERVER_PATIENCE: Patience = {
  patienceMs: 30_000,
  // A server restarts in less.
  connectPatienceMs: 5_000,
  answerMs: 30_000,
  retryMs: 20,
  retryMaxMs: 1_000,
}
