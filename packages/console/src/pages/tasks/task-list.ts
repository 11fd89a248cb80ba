/**
 * The tasks that match a filter: pages from the service, newest first, and what the stream tells since. A task's id
 * begins with its time, so the order of ids is the order of tasks.
 */
import type { ListQuery, Task } from "@safelight/client"
import { signal, type ReadonlySignal } from "@preact/signals"

export interface TaskList<Shown extends Task = Task> {
  readonly tasks: ReadonlySignal<readonly Shown[]>
  readonly isLoading: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<unknown>
  readonly hasMore: ReadonlySignal<boolean>
  /** Loads the next page, unless one is on its way. */
  readonly loadMore: () => void
  /** Begins anew, showing what is known until then. */
  readonly reload: () => void
  /** Brings the first page up to date, unless something is on its way or has failed. */
  readonly refresh: () => void
  /** What a stream told. */
  readonly apply: (changes: readonly { readonly task: Shown }[]) => void
  readonly close: () => void
}

const PAGE_TASKS = 100

/** More is not kept: a page that is left open for days stays as light as it was. */
const MOST_TASKS = 10_000

/** Reads a page of what the filter lets through. */
export type ReadPage<Shown extends Task> = (
  query: ListQuery & { readonly cursor: string | undefined },
  options: { readonly signal: AbortSignal },
) => Promise<{ readonly tasks: readonly Shown[]; readonly next_cursor: string | null }>

export function createTaskList<Shown extends Task>(
  readPage: ReadPage<Shown>,
  filter: ListQuery,
): TaskList<Shown> {
  const listed = createListed<Shown>()
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  const hasMore = signal(true)
  let cursor: string | undefined
  let running: AbortController | undefined

  async function load(part: "first" | "next" | "refreshed"): Promise<void> {
    const abort = (running = new AbortController())
    isLoading.value = true
    error.value = undefined
    try {
      const query = { ...filter, limit: PAGE_TASKS, cursor: part === "next" ? cursor : undefined }
      const page = await readPage(query, abort)
      if (part === "first") listed.clear()
      page.tasks.forEach(listed.put)
      if (part !== "refreshed") cursor = page.next_cursor ?? undefined
      hasMore.value = cursor !== undefined && listed.size() < MOST_TASKS
      listed.show()
    } catch (cause) {
      if (!abort.signal.aborted) error.value = cause
    } finally {
      if (running === abort) {
        running = undefined
        isLoading.value = false
      }
    }
  }

  function reload(): void {
    running?.abort()
    void load("first")
  }

  const isFree = (): boolean => running === undefined && error.peek() === undefined

  reload()
  return {
    tasks: listed.tasks,
    isLoading,
    error,
    hasMore,
    reload,
    refresh() {
      if (isFree()) void load("refreshed")
    },
    apply(changes) {
      for (const { task } of changes) {
        const change = matches(task, filter, listed) ? listed.put : listed.remove
        change(task)
      }
      listed.show()
    },
    loadMore() {
      if (isFree() && hasMore.peek()) void load("next")
    },
    close: () => running?.abort(),
  }
}

interface Listed<Shown extends Task> {
  readonly tasks: ReadonlySignal<readonly Shown[]>
  readonly has: (task: Task) => boolean
  readonly size: () => number
  /** A newer one is not replaced. */
  readonly put: (task: Shown) => void
  readonly remove: (task: Task) => void
  readonly clear: () => void
  /** Shows what was added and removed, and forgets the oldest of too many. */
  readonly show: () => void
}

function createListed<Shown extends Task>(): Listed<Shown> {
  const tasks = signal<readonly Shown[]>([])
  /** Newest first: a message changes one place, and nothing is sorted anew. */
  const listed: Shown[] = []
  const find = (id: string): Shown | undefined => {
    const found = listed[findPlace(listed, id)]
    return found?.task_id === id ? found : undefined
  }
  return {
    tasks,
    has: ({ task_id: id }) => find(id) !== undefined,
    size: () => listed.length,
    put(task) {
      const known = find(task.task_id)
      listed.splice(findPlace(listed, task.task_id), known ? 1 : 0, newer(known, task))
    },
    remove({ task_id: id }) {
      if (find(id) !== undefined) listed.splice(findPlace(listed, id), 1)
    },
    clear: () => void listed.splice(0),
    show() {
      listed.splice(MOST_TASKS)
      tasks.value = listed.slice()
    },
  }
}

/** Where a task is among those with higher ids and those with lower ones, or belongs. */
function findPlace(listed: readonly Task[], id: string): number {
  let from = 0
  let to = listed.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((listed[middle]?.task_id ?? "") > id) from = middle + 1
    else to = middle
  }
  return from
}

/** A message does not tell labels: with a filter by label, only tasks that are listed already are brought up to date. */
function matches(task: Task, filter: ListQuery, listed: Pick<Listed<Task>, "has">): boolean {
  const { status, model, label } = filter
  if (status !== undefined && task.status !== status) return false
  if (model !== undefined && task.model !== model) return false
  return label === undefined || listed.has(task)
}

const ORDER = { queued: 0, running: 1, succeeded: 2, failed: 2 } as const

/** A page may have been read before a message, and arrive after it. */
function newer<Shown extends Task>(one: Shown | undefined, other: Shown): Shown {
  if (one === undefined) return other
  const difference = ORDER[other.status] - ORDER[one.status] || other.progress - one.progress
  return difference >= 0 ? other : one
}
