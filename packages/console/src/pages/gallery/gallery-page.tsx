/** Everything that came out, newest first. A task's artifacts are asked for when its tile comes into sight. */
import type { ListedTask } from "@safelight/client"
import type { JSX } from "preact"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { useInSight } from "../../design/use-in-sight.ts"
import { Waiting } from "../../design/waiting.tsx"
import { useLive } from "../../live/use-live.ts"
import { useClient } from "../../session/session.ts"
import { createTaskList, type TaskList } from "../tasks/task-list.ts"
import { TaskTiles } from "./task-tiles.tsx"
import "./gallery-page.css"

export function Page(): JSX.Element {
  const client = useClient()
  const list = useMemo(
    () =>
      createTaskList((page, options) => client.listPage(page, options), {
        status: "succeeded",
        include: "prompt",
      }),
    [client],
  )
  useEffect(() => () => list.close(), [list])
  useLive({ onChanges: list.apply, onReset: list.reload })
  const tasks = list.tasks.value
  const error = list.error.value
  return (
    <div class="stack">
      <PageHead title="Gallery" />
      {error !== undefined && <Failure error={error} onRetry={list.reload} />}
      {tasks.length === 0 ? <NoTasks list={list} /> : <Tiles tasks={tasks} />}
      {tasks.length > 0 && list.hasMore.value && <More key={tasks.length} onSeen={list.loadMore} />}
    </div>
  )
}

function NoTasks({ list }: { readonly list: TaskList }): JSX.Element | null {
  if (list.isLoading.value) return <Waiting />
  if (list.error.value !== undefined) return null
  return (
    <Empty title="Nothing has come out yet">
      Make something in the <a href="#/playground">playground</a>.
    </Empty>
  )
}

function Tiles({ tasks }: { readonly tasks: readonly ListedTask[] }): JSX.Element {
  return (
    <ul class="gallery">
      {tasks.map((task) => (
        <TaskTiles key={task.task_id} task={task} />
      ))}
    </ul>
  )
}

/** The end of what is loaded; when it is seen, more is loaded. */
function More({ onSeen }: { readonly onSeen: () => void }): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useInSight(place)
  useEffect(() => {
    if (isSeen.value) onSeen()
  }, [isSeen.value])
  return (
    <div ref={place}>
      <Waiting />
    </div>
  )
}
