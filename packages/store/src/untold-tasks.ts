/**
 * Tasks that this process put into the queue and has not notified the others of. What another process notifies of wakes
 * each process but that one, for every task that is queued by then: so once two of them have done it, nothing is left
 * to be told, and all processes together notify about as often as one alone would. A notification costs the database as
 * much as there are processes.
 */

export interface UntoldTasks {
  /** A task was queued here. */
  readonly note: () => void
  /** Another process notified of tasks. */
  readonly noteOther: (node: string) => void
  /** Whether the others are to be notified now: then nothing is left. */
  readonly take: () => boolean
  /** Whether some are left, which the others may still tell of. */
  readonly isLeft: () => boolean
}

/** What is received so soon after a task was queued may have been sent before. */
const SURE_MS = 10

export function createUntoldTasks(): UntoldTasks {
  /** When the first and the last one was queued. */
  let untold: { readonly firstAt: number; readonly lastAt: number } | undefined
  let last = { node: "", at: -Infinity }
  /** When another process than the last one notified. */
  let before = -Infinity

  return {
    note() {
      const now = performance.now()
      untold = { firstAt: untold?.firstAt ?? now, lastAt: now }
    },
    noteOther(node) {
      if (node !== last.node) before = last.at
      last = { node, at: performance.now() }
    },
    take() {
      const wokenAt = before - SURE_MS
      const { firstAt, lastAt } = untold ?? { firstAt: Infinity, lastAt: -Infinity }
      const isEarly = firstAt < wokenAt
      untold = isEarly && wokenAt < lastAt ? { firstAt: wokenAt, lastAt } : undefined
      return firstAt <= lastAt && !isEarly
    },
    isLeft: () => untold !== undefined,
  }
}
