/**
 * Calls listeners with the tasks that this process has ended; ends in other processes are not announced. Listeners
 * are called after this turn of the event loop, so that a task that they submit finds the permit free.
 */
import type { Task } from "@safelight/core"

type Listener = (task: Task) => void

export interface Announcer {
  announce(task: Task): void
  /** Calls `listener` once this process has ended the task. Returns how to stop listening. */
  readonly onFinished: (id: string, listener: Listener) => () => void
  /** Calls `listener` with every task that this process ends. */
  readonly onEachFinished: (listener: Listener) => void
}

export function createAnnouncer(): Announcer {
  const everyListener = new Set<Listener>()
  const listeners = new Map<string, Set<Listener>>()
  let ended: Task[] = []

  function tell(): void {
    const tasks = ended
    ended = []
    for (const task of tasks) {
      for (const listener of everyListener) listener(task)
      for (const listener of listeners.get(task.id) ?? []) listener(task)
    }
  }

  return {
    announce(task) {
      ended.push(task)
      if (ended.length === 1) setImmediate(tell)
    },
    onFinished(id, listener) {
      const ofTask = listeners.get(id) ?? new Set()
      listeners.set(id, ofTask.add(listener))
      return () => {
        ofTask.delete(listener)
        if (ofTask.size === 0) listeners.delete(id)
      }
    },
    onEachFinished: (listener) => void everyListener.add(listener),
  }
}
