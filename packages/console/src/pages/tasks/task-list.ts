/**
 * The tasks that match a filter: pages from the service, newest first, and what the stream tells since. A task's id
 * begins with its time, so the order of ids is the order of tasks.
 */
import type { Client, ListQuery, Task } from "@safelight/client"
import { signal, type ReadonlySignal } from "@preact/signals"
import type { TaskChange } from "../../live/live-tasks.ts"

export interface TaskList {
  readonly tasks: ReadonlySignal<readonly Task[]>
  readonly isLoading: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<unknown>
  readonly hasMore: ReadonlySignal<boolean>
  /** Loads the next page, unless one is on its way. */
  readonly loadMore: () => void
  /** Begins anew, showing what is known until then. */
  readonly reload: () => void
  readonly apply: (changes: readonly TaskChange[]) => void
  readonly close: () => void
}

const PAGE_TASKS = 100

/** More is not kept: a page that is left open for days stays as light as it was. */
const MOST_TASKS = 10_000

export function createTaskList(client: Client, filter: ListQuery): TaskList {
  const tasks = signal<readonly Task[]>([])
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  const hasMore = signal(true)
  let known = new Map<string, Task>()
  let cursor: string | undefined
  let running: AbortController | undefined

  function show(): void {
    const sorted = sortNewestFirst(known.values())
    tasks.value = sorted.slice(0, MOST_TASKS)
    for (const { task_id } of sorted.slice(MOST_TASKS)) known.delete(task_id)
  }

  async function load(isFirst: boolean): Promise<void> {
    const abort = (running = new AbortController())
    isLoading.value = true
    error.value = undefined
    try {
      const query = { ...filter, limit: PAGE_TASKS, cursor: isFirst ? undefined : cursor }
      const page = await client.listPage(query, { signal: abort.signal })
      if (isFirst) known = new Map()
      for (const task of page.tasks) known.set(task.task_id, newer(known.get(task.task_id), task))
      cursor = page.next_cursor ?? undefined
      hasMore.value = cursor !== undefined && known.size < MOST_TASKS
      show()
    } catch (cause) {
      if (!abort.signal.aborted) error.value = cause
    } finally {
      if (running === abort) {
        running = undefined
        isLoading.value = false
      }
    }
  }

  function apply(changes: readonly TaskChange[]): void {
    for (const { task } of changes) {
      const before = known.get(task.task_id)
      if (matches(task, filter, known)) known.set(task.task_id, newer(before, task))
      else known.delete(task.task_id)
    }
    show()
  }

  function reload(): void {
    running?.abort()
    void load(true)
  }

  reload()
  return {
    tasks,
    isLoading,
    error,
    hasMore,
    reload,
    apply,
    loadMore() {
      if (running === undefined && hasMore.peek() && error.peek() === undefined) void load(false)
    },
    close: () => running?.abort(),
  }
}

/** A message does not tell labels: with a filter by label, only tasks that are listed already are brought up to date. */
function matches(task: Task, filter: ListQuery, known: ReadonlyMap<string, Task>): boolean {
  const { status, model, label } = filter
  if (status !== undefined && task.status !== status) return false
  if (model !== undefined && task.model !== model) return false
  return label === undefined || known.has(task.task_id)
}

function sortNewestFirst(tasks: Iterable<Task>): Task[] {
  return Array.from(tasks).toSorted((one, other) => (one.task_id < other.task_id ? 1 : -1))
}

const ORDER = { queued: 0, running: 1, succeeded: 2, failed: 2 } as const

/** A page may have been read before a message, and arrive after it. */
function newer(one: Task | undefined, other: Task): Task {
  if (one === undefined) return other
  const difference = ORDER[other.status] - ORDER[one.status] || other.progress - one.progress
  return difference >= 0 ? other : one
}
