/**
 * How long everything is measured. `--quick` is there to see that it runs: its figures come from
 * cold caches and say little.
 */

export interface Scale {
  /** Counted rounds; one more comes before them and is dropped. */
  readonly rounds: number
  readonly roundMs: number
  /** Submissions of a single caller, one after another. */
  readonly singleCommits: number
  readonly openLoopMs: number
  /** Life cycles between two looks at the disk. */
  readonly diskTasks: number
  /** Life cycles after which resident memory is read, rising. */
  readonly memoryTasks: readonly number[]
  /** Tasks that wait while takings are timed. */
  readonly waitingTasks: number
  /** Takings before those that are timed where a long transaction is open. */
  readonly churnedTakings: number
  readonly timedTakings: number
  /** Charges of the account whose usage is asked for. */
  readonly charges: number
  /** How long a task is polled meanwhile. */
  readonly pollsMs: number
}

const FULL: Scale = {
  // The middle of five is not moved by one checkpoint or one autovacuum.
  rounds: 5,
  // Some hundred batches of the slowest contender; six contenders and six rounds stay within minutes.
  roundMs: 3_000,
  singleCommits: 1_000,
  // 20,000 submissions: the 99th percentile stands on 200 of them.
  openLoopMs: 10_000,
  diskTasks: 20_000,
  memoryTasks: [100_000],
  waitingTasks: 1_000_000,
  // 20,000 tasks: as many dead entries at the front of the queue's index as vacuum must leave there.
  churnedTakings: 2_000,
  timedTakings: 400,
  charges: 1_000_000,
  pollsMs: 10_000,
}

const QUICK: Scale = {
  rounds: 2,
  roundMs: 500,
  singleCommits: 100,
  openLoopMs: 1_000,
  diskTasks: 2_000,
  memoryTasks: [5_000],
  waitingTasks: 20_000,
  churnedTakings: 100,
  timedTakings: 40,
  charges: 20_000,
  pollsMs: 1_000,
}

/** As the command line asks: `--quick`, and `--long` for the memory of ten times as many tasks. */
export function toScale(flags: readonly string[]): Scale {
  const scale = flags.includes("--quick") ? QUICK : FULL
  if (!flags.includes("--long")) return scale
  return { ...scale, memoryTasks: scale.memoryTasks.flatMap((count) => [count, count * 10]) }
}
