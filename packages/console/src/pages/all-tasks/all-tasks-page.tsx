/**
 * The tasks of all accounts, newest first, for an operator. No stream tells of them, so the newest are asked for every
 * few seconds while the page is looked at.
 */
import type { AllTasksQuery, OperatorTask } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { Field } from "../../design/field.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { Table, type Column } from "../../design/table.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { replaceRoute, route, toHref } from "../../router/route.ts"
import { isOffline, useClient } from "../../session/session.ts"
import { TaskFilters } from "../tasks/task-filters.tsx"
import { createTaskList, type TaskList } from "../tasks/task-list.ts"
import { COLUMNS, toFilter } from "../tasks/tasks-page.tsx"

const REFRESH_MS = 5_000
const SEGMENT = "all-tasks"

/** Behind status and model, so that a phone shows it. */
const ALL_COLUMNS: readonly Column<OperatorTask>[] = [
  ...COLUMNS.slice(0, 2),
  { title: "Account", width: "minmax(0, 1fr)", cell: ({ account }) => <bdi>{account}</bdi> },
  ...COLUMNS.slice(2),
]

export function Page(): JSX.Element {
  const { admin } = useClient()
  const { query } = route.value
  const key = query.toString()
  const list = useMemo(() => {
    const account = query.get("account") ?? undefined
    const readPage = (page: AllTasksQuery, options: { readonly signal: AbortSignal }) =>
      admin.tasks({ ...page, account }, options)
    return createTaskList(readPage, toFilter(query))
  }, [admin, key])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") list.refresh()
    }, REFRESH_MS)
    return () => {
      clearInterval(timer)
      list.close()
    }
  }, [list])
  useEffect(() => {
    if (!isOffline.value && list.error.peek() !== undefined) list.reload()
  }, [isOffline.value, list])
  return (
    <div class="stack">
      <PageHead title="All tasks" />
      <TaskFilters segment={SEGMENT}>
        <AccountFilter key={query.get("account") ?? ""} />
      </TaskFilters>
      <Tasks list={list} isFiltered={key !== ""} />
    </div>
  )
}

function AccountFilter(): JSX.Element {
  const words = useSignal(route.peek().query.get("account") ?? "")
  return (
    <Field label="Account">
      {(attributes) => (
        <input
          {...attributes}
          type="search"
          spellcheck={false}
          placeholder="All"
          value={words}
          onChange={(event) => {
            const query = Object.fromEntries(route.peek().query)
            const account = event.currentTarget.value.trim()
            replaceRoute(toHref([SEGMENT], { ...query, account }))
          }}
        />
      )}
    </Field>
  )
}

interface TasksProps {
  readonly list: TaskList<OperatorTask>
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
        label="Tasks of all accounts"
        rows={tasks}
        columns={ALL_COLUMNS}
        toKey={({ task_id }) => task_id}
        toHref={({ task_id }) => toHref([SEGMENT, task_id])}
        onEnd={list.loadMore}
      />
    </>
  )
}
