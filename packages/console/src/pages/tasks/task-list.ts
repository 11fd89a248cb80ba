/**
 * The tasks that match a filter: pages from the service, newest first, and what the stream tells since. A task's id
 * begins with its time, so the order of ids is the order of tasks.
 */
import type { ListedTask, ListQuery, Task } from "@safelight/client"
import { signal, type ReadonlySignal } from "@preact/signals"
import { createListed, MOST_TASKS, type Listed, type TaskPage } from "./listed-tasks.ts"

export interface TaskList<Shown extends Task = ListedTask> {
  readonly tasks: ReadonlySignal<readonly Shown[]>
  readonly isLoading: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<unknown>
  readonly hasMore: ReadonlySignal<boolean>
  /** Loads the next page, unless one is on its way. */
  readonly loadMore: () => void
  /** Begins again, showing what is known until then. */
  readonly reload: () => void
  /** Brings the first page up to date, unless something is on its way or has failed. */
  readonly refresh: () => void
  /** What a stream sent. */
  readonly apply: (changes: readonly { readonly task: Shown }[]) => void
  readonly close: () => void
}

const PAGE_TASKS = 100

/** A message does not tell the prompt: the first page is read again so long after a new task's first message. */
const FILL_IN_MS = 1_500

/** Reads a page of what the filter lets through. */
export type ReadPage<Shown extends Task> = (
  query: ListQuery & { readonly cursor: string | undefined },
  options: { readonly signal: AbortSignal },
) => Promise<TaskPage<Shown>>

export function createTaskList<Shown extends Task>(
  readPage: ReadPage<Shown>,
  filter: ListQuery,
): TaskList<Shown> {
  const listed = createListed<Shown>()
  const pages = createPages(readPage, filter, listed)
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  const hasMore = signal(true)
  let running: AbortController | undefined

  async function load(part: keyof Pages): Promise<void> {
    const abort = (running = new AbortController())
    isLoading.value = true
    error.value = undefined
    try {
      hasMore.value = (await pages[part](abort.signal)) && listed.size() < MOST_TASKS
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
    void load("readFirst")
  }

  const isFree = (): boolean => running === undefined && error.peek() === undefined

  function refresh(): void {
    if (isFree()) void load("readAgain")
  }

  const fillIn = createFillIn(isLoading, refresh)
  reload()
  return {
    tasks: listed.tasks,
    isLoading,
    error,
    hasMore,
    reload,
    refresh,
    apply(changes) {
      for (const { task } of changes) {
        const isMatch = matches(task, filter, listed)
        if (isMatch && filter.include !== undefined && !listed.has(task)) fillIn.begin()
        ;(isMatch ? listed.put : listed.remove)(task)
      }
      listed.show()
    },
    loadMore() {
      if (isFree() && hasMore.peek()) void load("readNext")
    },
    close() {
      fillIn.close()
      running?.abort()
    },
  }
}

interface FillIn {
  readonly begin: () => void
  readonly close: () => void
}

/** Once for all tasks that come meanwhile, and not before what is on its way has come. */
function createFillIn(isLoading: ReadonlySignal<boolean>, refresh: () => void): FillIn {
  let timer: ReturnType<typeof setTimeout> | undefined
  function begin(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      if (isLoading.peek()) begin()
      else refresh()
    }, FILL_IN_MS)
  }
  return { begin, close: () => clearTimeout(timer) }
}

/** Each resolves to whether there is more below what is listed, and rejects, having changed nothing, once it is aborted. */
interface Pages {
  /** What was listed is forgotten. */
  readonly readFirst: (signal: AbortSignal) => Promise<boolean>
  readonly readNext: (signal: AbortSignal) => Promise<boolean>
  /** The first page, and of the others one each time: a task that the filter lets through no more goes. */
  readonly readAgain: (signal: AbortSignal) => Promise<boolean>
}

/** Where a page begins: its cursor, and the last task of the page before. */
interface Place {
  readonly cursor: string
  readonly above: string
}

function createPages<Shown extends Task>(
  readPage: ReadPage<Shown>,
  filter: ListQuery,
  listed: Listed<Shown>,
): Pages {
  let cursor: string | undefined
  /** The page that is read again besides the first; the second if undefined. */
  let turn: Place | undefined

  async function read(from: string | undefined, ended: AbortSignal): Promise<TaskPage<Shown>> {
    const page = await readPage({ ...filter, limit: PAGE_TASKS, cursor: from }, { signal: ended })
    // It may have arrived just before it was called off.
    ended.throwIfAborted()
    return page
  }

  function begin(page: TaskPage<Shown>): boolean {
    listed.clear()
    turn = undefined
    return add(page)
  }

  function add(page: TaskPage<Shown>): boolean {
    page.tasks.forEach(listed.put)
    cursor = page.next_cursor ?? undefined
    return cursor !== undefined
  }

  return {
    readFirst: async (ended) => begin(await read(undefined, ended)),
    readNext: async (ended) => add(await read(cursor, ended)),
    async readAgain(ended) {
      const first = await read(undefined, ended)
      // Of more new tasks than a page holds, those below it are unknown.
      if (!listed.meets(first)) return begin(first)
      listed.replace(first)
      const place = turn ?? toNextPlace(first)
      turn = undefined
      if (place !== undefined && listed.hasBelow(place.above)) {
        const page = await read(place.cursor, ended)
        listed.replace(page, place.above)
        turn = toNextPlace(page, place.above)
      }
      return cursor !== undefined
    },
  }
}

function toNextPlace(
  { tasks, next_cursor: cursor }: TaskPage<Task>,
  before = "",
): Place | undefined {
  const above = tasks.at(-1)?.task_id ?? before
  return cursor === null || above === "" ? undefined : { cursor, above }
}

/** A message does not tell labels: with a filter by label, only tasks that are listed already are brought up to date. */
function matches(task: Task, filter: ListQuery, listed: Pick<Listed<Task>, "has">): boolean {
  const { status, model, label } = filter
  if (status !== undefined && task.status !== status) return false
  if (model !== undefined && task.model !== model) return false
  return label === undefined || listed.has(task)
}
