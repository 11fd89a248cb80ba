/**
 * Counts the attempts of a task by the upstream keys seen. It is memory only, and forgets the
 * oldest task first: after a restart the count begins again.
 */
export interface Attempts {
  /** The attempt's number from 1; the same key always has the same. */
  count(task: string, upstreamKey: string): number
}

/** Only tasks in the sandbox's `defer` are counted. */
const MOST_TASKS = 1024

export function createAttempts(): Attempts {
  const tasks = new Map<string, string[]>()
  return {
    count(task, upstreamKey) {
      const keys = tasks.get(task) ?? []
      tasks.delete(task)
      tasks.set(task, keys)
      if (!keys.includes(upstreamKey)) keys.push(upstreamKey)
      for (const oldest of tasks.keys()) {
        if (tasks.size <= MOST_TASKS) break
        tasks.delete(oldest)
      }
      return keys.indexOf(upstreamKey) + 1
    },
  }
}
