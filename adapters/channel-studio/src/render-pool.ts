/**
 * Threads that render, as many as allowed and only as many as are needed. A job waits in order for
 * one; a thread that dies fails its own job alone, and the next job gets a new one.
 *
 *   waiting ─thread free→ rendering ─┬→ result
 *      └────── signal ──────┴────────┴→ `aborted`
 */
import { createGate } from "./gate.ts"
import {
  aborted,
  createRenderThread,
  type RenderRequest,
  type RenderThread,
} from "./render-thread.ts"
import type { RenderResult } from "./rendering-job.ts"

export interface RenderPool {
  /** As `RenderThread.render`, once a thread is free; rejects with `aborted` once closed. */
  render(request: RenderRequest): Promise<RenderResult>
  /** Ends every thread. Call the jobs off first: what is still rendered breaks. */
  close(): Promise<void>
}

export function createRenderPool(options: { readonly workers: number }): RenderPool {
  const gate = createGate(options.workers)
  const threads = new Set<RenderThread>()
  const idle: RenderThread[] = []
  let isClosed = false
  let library: Promise<unknown> | undefined

  function takeThread(): RenderThread {
    const known = idle.pop()
    if (known?.isAlive === true) return known
    if (known !== undefined) threads.delete(known)
    const thread = createRenderThread()
    threads.add(thread)
    return thread
  }

  function giveBack(thread: RenderThread): void {
    if (thread.isAlive) idle.push(thread)
    else threads.delete(thread)
  }

  return {
    async render(request) {
      const leave = await gate.enter(request.signal)
      try {
        // Loaded here too, or the native library would be unloaded under the last thread's feet
        // (sharp's documentation on worker threads).
        await (library ??= import("sharp"))
        if (isClosed || request.signal.aborted) throw aborted()
        const thread = takeThread()
        try {
          return await thread.render(request)
        } finally {
          giveBack(thread)
        }
      } finally {
        leave()
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...threads].map((thread) => thread.end()))
    },
  }
}
