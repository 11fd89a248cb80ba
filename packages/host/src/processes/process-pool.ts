/**
 * Processes that work for this one, started as they are needed up to the number allowed. Work waits for a free
 * one, with a fair share for each account. A process that dies fails the work in its hands alone, and the next
 * work gets a new one.
 *
 *   waiting ─process free→ begun ─┬→ result
 *      └────── signal ───────┴────┴→ aborted
 */
import { createFairGate } from "@safelight/core"
import {
  startWorkerProcess,
  type Death,
  type Work,
  type WorkerProcess,
  type WorkerProcessOptions,
} from "./worker-process.ts"

export interface ProcessPoolOptions extends WorkerProcessOptions {
  /** Processes that any account's work may have at once; one more is for accounts that have none. */
  readonly processes: number
  /** The error of work that the signal, or `close`, called off. */
  readonly toAborted: () => unknown
  /** The error if two processes in a row could not be started, or ended before they began. */
  readonly toUnavailable: (death: Death) => unknown
}

export interface PoolWork<Result> extends Work<Result> {
  /** Whose work it is. */
  readonly account: string
  /** Whether the work is given, once, to a new process. */
  readonly isWorthRepeating?: (result: Result) => boolean
}

export interface ProcessPool {
  /**
   * Resolves to what `follow` gives, once a process is free. If a process is gone before it begins, which has
   * nothing to do with the work, another one gets it, once. Rejects as `follow` does, and with the errors of the options.
   */
  run<Result>(work: PoolWork<Result>): Promise<Result>
  /** Ends every process, and with it the work in its hands. */
  close(): Promise<void>
}

export function createProcessPool(options: ProcessPoolOptions): ProcessPool {
  const gate = createFairGate(options.processes)
  const processes = new Set<WorkerProcess>()
  const idle: WorkerProcess[] = []
  let isClosed = false

  function takeIdle(): WorkerProcess | undefined {
    const known = idle.pop()
    if (known === undefined || known.isAlive) return known
    giveBack(known)
    return takeIdle()
  }

  function start(): WorkerProcess {
    try {
      const started = startWorkerProcess(options)
      processes.add(started)
      return started
    } catch (cause) {
      throw options.toUnavailable({ how: "could not be started", isLate: false, cause })
    }
  }

  function giveBack(used: WorkerProcess): void {
    if (used.isAlive) {
      idle.push(used)
      return
    }
    processes.delete(used)
    void used.end()
  }

  async function runIn<Result>(
    take: () => WorkerProcess,
    work: PoolWork<Result>,
  ): Promise<{ readonly result: Result } | Death> {
    if (isClosed || work.signal.aborted) throw options.toAborted()
    const process = take()
    const ended = await process.work(work).finally(() => giveBack(process))
    if (work.signal.aborted) throw options.toAborted()
    return ended
  }

  async function runTwice<Result>(work: PoolWork<Result>): Promise<Result> {
    const first = await runIn(() => takeIdle() ?? start(), work)
    if ("result" in first && work.isWorthRepeating?.(first.result) !== true) return first.result
    const second = await runIn(start, work)
    if ("result" in second) return second.result
    throw options.toUnavailable(second)
  }

  return {
    async run(work) {
      const release = await gate.enter(work.account, work.signal)
      try {
        return await runTwice(work)
      } finally {
        release()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...processes].map((each) => each.end()))
    },
  }
}
