/** One task: where it is, how it came there, what came out, what it cost, and what can be done about it. */
import type { Artifact, Task, TaskEvent, TaskUsage } from "@safelight/client"
import type { JSX } from "preact"
import { CopyButton } from "../../design/copy-button.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { StatusMark } from "../../design/status-mark.tsx"
import { useLive } from "../../live/use-live.ts"
import type { PageProps } from "../../router/pages.ts"
import { toHref } from "../../router/route.ts"
import { isOperator } from "../../session/me.ts"
import { LoadedPage } from "../../session/loaded-page.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { ArtifactPanel } from "./artifact-panel.tsx"
import { CancelButton } from "./cancel-button.tsx"
import { CostPanel } from "./cost-panel.tsx"
import { EventList } from "./event-list.tsx"
import { FactsPanel } from "./facts-panel.tsx"
import { HoldButton } from "./hold-button.tsx"
import { ProofPanel } from "./proof-panel.tsx"
import { StatePicture } from "./state-picture.tsx"
import "./task-page.css"

interface Whole {
  readonly task: Task
  readonly events: readonly TaskEvent[]
  readonly cost: TaskUsage
  readonly artifacts: readonly Artifact[]
}

export function Page({ rest: [id = ""] }: PageProps): JSX.Element {
  const client = useClient()
  const loading = useLoaded(
    async (signal): Promise<Whole> => {
      const [task, events, cost] = await Promise.all([
        client.get(id, { signal }),
        client.events(id, { signal }),
        client.taskUsage(id, { signal }),
      ])
      const hasOutput = task.status === "succeeded"
      return {
        task,
        events,
        cost,
        artifacts: hasOutput ? await client.artifacts(id, { signal }) : [],
      }
    },
    [client, id],
  )
  const { reload } = loading
  useLive({
    onChanges: (changes) => {
      if (changes.some(({ task }) => task.task_id === id)) reload()
    },
    onReset: reload,
  })
  const missing = {
    code: "task_not_found",
    title: "There is no such task",
    words: (
      <>
        It may belong to another account. <a href="#/tasks">See all tasks</a>
      </>
    ),
  }
  return (
    <LoadedPage loading={loading} missing={missing}>
      {(whole) => <TaskView whole={whole} onChanged={reload} />}
    </LoadedPage>
  )
}

interface TaskViewProps {
  readonly whole: Whole
  readonly onChanged: () => void
}

function TaskView({ whole, onChanged }: TaskViewProps): JSX.Element {
  const client = useClient()
  const { task, events, cost, artifacts } = whole
  const { task_id: id, status } = task
  const isOpen = status === "queued" || status === "running"
  return (
    <>
      <PageHead title={task.model} above={<a href={toHref(["tasks"])}>All tasks</a>}>
        {isOpen && <CancelButton cancel={() => client.cancel(id)} onCancelled={onChanged} />}
        <HoldButton task={task} artifacts={artifacts} onHeld={onChanged} />
      </PageHead>
      <p class="line task-line">
        <StatusMark status={status} progress={task.progress} />
        <code class="soft">{id}</code>
        <CopyButton text={id} label="Copy id" what="The id was" />
        {isOperator() && <a href={toHref(["all-tasks", id])}>Log and proof</a>}
      </p>
      {task.error !== null && (
        <div class="card task-error" role="note">
          <p>
            <bdi>{task.error.message}</bdi>
          </p>
          <p class="soft small">
            <code>{task.error.code}</code> · {task.error.type}
          </p>
        </div>
      )}
      <div class="task-columns">
        <div class="stack">
          {artifacts.map((artifact) => (
            <ArtifactPanel key={artifact.key} task={id} artifact={artifact} />
          ))}
          <section class="card task-panel" aria-labelledby="states">
            <h2 id="states">States</h2>
            <StatePicture events={events} />
          </section>
          <section class="card task-panel" aria-labelledby="events">
            <h2 id="events">Events</h2>
            <EventList events={events} />
          </section>
          <ProofPanel task={id} events={events} />
        </div>
        <div class="stack">
          <CostPanel cost={cost} />
          <FactsPanel task={task} events={events} cost={cost} />
        </div>
      </div>
    </>
  )
}
