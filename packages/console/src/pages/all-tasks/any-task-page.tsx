/** A task of whatever account, as its log is stored: every event with what its hash covers, and the proof of the chain. */
import type { OperatorTask, StoredEvent } from "@safelight/client"
import type { JSX } from "preact"
import { CopyButton } from "../../design/copy-button.tsx"
import { Facts } from "../../design/facts.tsx"
import { Moment } from "../../design/moment.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { StatusMark } from "../../design/status-mark.tsx"
import type { PageProps } from "../../router/pages.ts"
import { toHref } from "../../router/route.ts"
import { LoadedPage } from "../../session/loaded-page.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { useRefreshed } from "../../session/use-refreshed.ts"
import { CancelButton } from "../task/cancel-button.tsx"
import { ChainPanel } from "./chain-panel.tsx"
import { SettleButton } from "./settle-button.tsx"
import { StoredEvents } from "./stored-events.tsx"

const REFRESH_MS = 5_000

interface Whole {
  readonly task: OperatorTask
  readonly events: readonly StoredEvent[]
}

export function Page({ rest: [id = ""] }: PageProps): JSX.Element {
  const { admin } = useClient()
  const loading = useLoaded(
    async (signal): Promise<Whole> => {
      const [task, events] = await Promise.all([
        admin.task(id, { signal }),
        admin.taskEvents(id, { signal }),
      ])
      return { task, events }
    },
    [admin, id],
  )
  useRefreshed(loading, REFRESH_MS)
  const missing = {
    code: "task_not_found",
    title: "There is no such task",
    words: <a href="#/all-tasks">See all tasks</a>,
  }
  return (
    <LoadedPage loading={loading} missing={missing}>
      {(whole) => <TaskView whole={whole} onChanged={loading.reload} />}
    </LoadedPage>
  )
}

interface TaskViewProps {
  readonly whole: Whole
  readonly onChanged: () => void
}

function TaskView({ whole: { task, events }, onChanged }: TaskViewProps): JSX.Element {
  const { admin } = useClient()
  const { account, created_at, error, finished_at, status, task_id: id } = task
  const isOpen = status === "queued" || status === "running"
  const isInDoubt = isOpen && events.at(-1)?.type === "doubted"
  return (
    <>
      <PageHead title={task.model} above={<a href={toHref(["all-tasks"])}>All tasks</a>}>
        {isInDoubt && <SettleButton task={id} onSettled={onChanged} />}
        {isOpen && <CancelButton cancel={() => admin.cancelTask(id)} onCancelled={onChanged} />}
      </PageHead>
      <p class="line">
        <StatusMark status={status} progress={task.progress} />
        <code class="soft">{id}</code>
        <CopyButton text={id} label="Copy id" what="The id was" />
      </p>
      <section class="card" aria-label="The task">
        <Facts
          facts={[
            [
              "Account",
              <a href={toHref(["all-tasks"], { account })}>
                <bdi>{account}</bdi>
              </a>,
            ],
            ["Made", <Moment atMs={created_at * 1000} />],
            ["Finished", finished_at === 0 ? "–" : <Moment atMs={finished_at * 1000} />],
            ["Error", error === null ? "–" : <code>{error.code}</code>],
          ]}
        />
      </section>
      <ChainPanel events={events} />
      <section class="card stack" aria-labelledby="log">
        <h2 id="log">Log</h2>
        <StoredEvents events={events} />
      </section>
    </>
  )
}
