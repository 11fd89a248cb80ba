/** All tasks, newest first, as they happen. The filters are in the address, so that a link shows the same to others. */
import type { ListedTask, ListQuery, Task } from "@safelight/client"
import type { JSX } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { formatDuration, Moment } from "../../design/moment.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { StatusMark } from "../../design/status-mark.tsx"
import { Table, type Column } from "../../design/table.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { useLive } from "../../live/use-live.ts"
import { route, toHref } from "../../router/route.ts"
import { isOffline, useClient } from "../../session/session.ts"
import { createTaskList, type TaskList } from "./task-list.ts"
import { TaskFilters } from "./task-filters.tsx"

/** What a list of tasks shows of each. */
export const COLUMNS = [
  {
    title: "Status",
    width: "150px",
    cell: ({ status, progress }) => <StatusMark status={status} progress={progress} />,
  },
  {
    title: "Model",
    width: "minmax(0, 3fr)",
    cell: ({ model, error }) => (
      <>
        {model}
        {error !== null && <span class="soft"> · {error.message}</span>}
      </>
    ),
  },
  {
    title: "Made",
    width: "120px",
    cell: ({ created_at }) => (
      <span class="soft">
        <Moment atMs={created_at * 1000} />
      </span>
    ),
  },
  { title: "Took", width: "90px", isNumber: true, cell: toDuration },
  {
    title: "Id",
    width: "minmax(0, 2fr)",
    cell: ({ task_id }) => <code class="soft">{task_id}</code>,
  },
] as const satisfies readonly Column<Task>[]

const [STATUS, MODEL, MADE, ...OTHERS] = COLUMNS

/** Of the account's own tasks: with the beginning of the prompt, until that is erased. A phone shows the first three. */
const OWN_COLUMNS: readonly Column<ListedTask>[] = [
  STATUS,
  {
    title: "Prompt",
    width: "minmax(0, 3fr)",
    cell: ({ prompt }) => (prompt === undefined || prompt === null ? "–" : <bdi>{prompt}</bdi>),
  },
  MADE,
  MODEL,
  ...OTHERS,
]

export function Page(): JSX.Element {
  const client = useClient()
  const { query } = route.value
  const key = query.toString()
  const list = useMemo(
    () =>
      createTaskList((page, options) => client.listPage(page, options), {
        ...toFilter(query),
        include: "prompt",
      }),
    [client, key],
  )
  useEffect(() => () => list.close(), [list])
  useEffect(() => {
    if (!isOffline.value && list.error.peek() !== undefined) list.reload()
  }, [isOffline.value, list])
  useLive({ onChanges: list.apply, onReset: list.reload })
  return (
    <div class="stack">
      <PageHead title="Tasks" />
      <TaskFilters segment="tasks" />
      <Tasks list={list} isFiltered={key !== ""} />
    </div>
  )
}

interface TasksProps {
  readonly list: TaskList
  readonly isFiltered: boolean
}

function Tasks({ list, isFiltered }: TasksProps): JSX.Element {
  const tasks = list.tasks.value
  const error = list.error.value
  const failure = error !== undefined && <Failure error={error} onRetry={list.reload} />
  if (tasks.length === 0) {
    if (error !== undefined) return <>{failure}</>
    if (list.isLoading.value) return <Waiting />
    if (isFiltered) return <Empty title="No task matches">Change the filters to see others.</Empty>
    return <Empty title="No tasks yet">Tasks appear here as soon as they are submitted.</Empty>
  }
  return (
    <>
      {failure}
      <Table
        label="Tasks"
        rows={tasks}
        columns={OWN_COLUMNS}
        toKey={({ task_id }) => task_id}
        toHref={({ task_id }) => toHref(["tasks", task_id])}
        onEnd={list.loadMore}
      />
    </>
  )
}

function toDuration({ created_at, finished_at }: Task): string {
  if (finished_at === 0) return "–"
  // The list tells whole seconds.
  return finished_at === created_at ? "< 1 s" : formatDuration((finished_at - created_at) * 1000)
}

/** The filter that the address names. */
export function toFilter(query: URLSearchParams): ListQuery {
  const status = query.get("status")
  const labels = query.getAll("label")
  return {
    status: isStatus(status) ? status : undefined,
    model: query.get("model") ?? undefined,
    label: labels.length === 0 ? undefined : labels,
  }
}

function isStatus(text: string | null): text is Task["status"] {
  return text !== null && ["queued", "running", "succeeded", "failed"].includes(text)
}
