/**
 * Processes that render, as many as allowed and only as many as are needed. A job waits for one, with
 * a fair share for each account. A process that dies fails its own job alone, and the next job gets a
 * new process. If the process was gone before the job began, because it was killed while it was idle,
 * say, the job itself gets a new one, once.
 *
 *   waiting ─process free→ rendering ─┬→ result
 *      └────── signal ────────┴───────┴→ `aborted`
 */
import { createFairGate, type Clock } from "@safelight/core"
import {
  aborted,
  createRenderProcess,
  type RenderProcess,
  type RenderRequest,
} from "./render-process.ts"
import type { RenderResult } from "./rendering-job.ts"

export interface RenderPool {
  /**
   * As `RenderProcess.render`, once a process is free. Rejects with `aborted` once closed, and with the
   * system's error if no process can be started.
   */
  render(request: PoolRequest): Promise<RenderResult>
  /** Ends every process. Call the jobs off first, or those still rendering break. */
  close(): Promise<void>
}

export interface PoolRequest extends RenderRequest {
  /** Whose job it is. */
  readonly account: string
}

export interface RenderPoolOptions {
  /** Processes that anybody's jobs may have at once; one more is for accounts that have none. */
  readonly workers: number
  readonly workerMemoryBytes: number
  readonly clock: Clock
}

export function createRenderPool(options: RenderPoolOptions): RenderPool {
  const gate = createFairGate(options.workers)
  const processes = new Set<RenderProcess>()
  const idle: RenderProcess[] = []
  let isClosed = false

  function takeProcess(): RenderProcess {
    const known = idle.pop()
    if (known?.isAlive === true) return known
    if (known !== undefined) processes.delete(known)
    return addProcess()
  }

  function addProcess(): RenderProcess {
    const created = createRenderProcess(options)
    processes.add(created)
    return created
  }

  function giveBack(used: RenderProcess): void {
    if (used.isAlive) idle.push(used)
    else processes.delete(used)
  }

  async function renderIn(
    take: () => RenderProcess,
    request: RenderRequest,
  ): Promise<RenderResult> {
    if (isClosed || request.signal.aborted) throw aborted()
    const taken = take()
    try {
      return await taken.render(request)
    } finally {
      giveBack(taken)
    }
  }

  return {
    async render(request) {
      const leave = await gate.enter(request.account, request.signal)
      try {
        const result = await renderIn(takeProcess, request)
        return result.kind === "not-started" ? await renderIn(addProcess, request) : result
      } finally {
        leave()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...processes].map((each) => each.end()))
    },
  }
}
