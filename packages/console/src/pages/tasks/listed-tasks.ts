/**
 * The tasks that a list knows, newest first, by their ids. A page tells what is in its stretch of them, so a task that
 * it lacks is gone.
 */
import type { Task } from "@safelight/client"
import { signal, type ReadonlySignal } from "@preact/signals"

/** More is not kept: a page that is left open for days stays as light as it was. */
export const MOST_TASKS = 10_000

export interface TaskPage<Shown extends Task> {
  readonly tasks: readonly Shown[]
  readonly next_cursor: string | null
}

export interface Listed<Shown extends Task> {
  readonly tasks: ReadonlySignal<readonly Shown[]>
  readonly has: (task: Task) => boolean
  readonly size: () => number
  /** A newer one is not replaced. */
  readonly put: (task: Shown) => void
  readonly remove: (task: Task) => void
  readonly clear: () => void
  /** Whether nothing that is unknown can be between the first page and what is listed. */
  readonly meets: (first: TaskPage<Shown>) => boolean
  readonly hasBelow: (id: string) => boolean
  /** What is listed of a page's stretch becomes the page; `above` is the last task of the page before. It adds nothing below. */
  readonly replace: (page: TaskPage<Shown>, above?: string) => void
  /** Shows what was added and removed, and forgets the oldest of too many. */
  readonly show: () => void
}

export function createListed<Shown extends Task>(): Listed<Shown> {
  const tasks = signal<readonly Shown[]>([])
  /** Newest first: a message changes one place, and nothing is sorted again. */
  const listed: Shown[] = []
  const find = (id: string): Shown | undefined => {
    const found = listed[findPlace(listed, id)]
    return found?.task_id === id ? found : undefined
  }
  /** How many are listed down to the task and with it. */
  const countTo = (id: string): number => findPlace(listed, id) + (find(id) === undefined ? 0 : 1)
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
    meets({ next_cursor: cursor, tasks: first }) {
      const [newest] = listed
      const last = first.at(-1)
      return cursor === null || !newest || !last || last.task_id <= newest.task_id
    },
    hasBelow: (id) => countTo(id) < listed.length,
    replace({ next_cursor: cursor, tasks: read }, above) {
      const end = above === undefined ? "" : (listed.at(-1)?.task_id ?? "")
      const page = read.filter((task) => task.task_id >= end)
      const from = above === undefined ? 0 : countTo(above)
      const last = page.at(-1)?.task_id ?? above
      const isLast = cursor === null || page.length < read.length
      const reached = last === undefined ? from : countTo(last)
      const to = isLast ? listed.length : reached
      const known = new Map(listed.slice(from, to).map((task) => [task.task_id, task]))
      const fresh = page.map((task) => newer(known.get(task.task_id), task))
      listed.splice(from, to - from, ...fresh)
    },
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

const ORDER = { queued: 0, running: 1, succeeded: 2, failed: 2 } as const

/** A page may have been read before a message, and arrive after it. */
function newer<Shown extends Task>(one: Shown | undefined, other: Shown): Shown {
  if (one === undefined) return other
  const difference = ORDER[other.status] - ORDER[one.status] || other.progress - one.progress
  // What a message does not tell, as the prompt, is kept.
  return difference >= 0 ? { ...one, ...other } : { ...other, ...one }
}
