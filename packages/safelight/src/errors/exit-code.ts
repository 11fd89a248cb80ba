/**
 * The exit codes of the command. Scripts rely on them, so a number never changes its meaning. For `audit`, 1 and
 * 2 have meanings of their own, which its commands define.
 */
export const EXIT = {
  done: 0,
  /** The task failed; for commands on the data: the data or the machine did not allow it. */
  failed: 1,
  /** Wrong usage or configuration, or the service refused the request (4xx). */
  refused: 2,
  /** The service can't be reached, or answered 5xx. */
  unavailable: 3,
  /** A submission whose outcome is unknown: a task may exist. */
  outcomeUnknown: 4,
  /** A downloaded file, or a charge, is not what the service says it is. */
  differs: 5,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
