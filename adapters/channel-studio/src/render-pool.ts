/**
 * Processes that render, as many as allowed and only as many as are needed. A job waits for one, with
 * a fair share for each account; a process that dies fails its own job alone, and the next job gets a
 * new one. A job whose process was gone before it began, as one is that was killed while it was idle,
 * gets a new one itself, once.
 *
 *   waiting ─process free→ rendering ─┬→ result
 *      └────── signal ────────┴───────┴→ `aborted`
 */
import type { Clock } from "@safelight/core"
import { createFairGate } from "./fair-gate.ts"
import {
  aborted,
  createRenderProcess,
  type RenderProcess,
  type RenderRequest,
} from "./render-process.ts"
import type { RenderResult } from "./rendering-job.ts"

export interface RenderPool {
  /**
   * As `RenderProcess.render`, once a process is free; rejects with `aborted` once closed. What the
   * system throws where it can start no process is thrown on.
   */
  render(request: PoolRequest): Promise<RenderResult>
  /** Ends every process. Call the jobs off first: what is still rendered breaks. */
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
