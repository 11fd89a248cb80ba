/** A task that the playground has started: its progress, then what came out of it or why nothing did. */
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { toSentence } from "../../design/failure.tsx"
import { StatusMark } from "../../design/status-mark.tsx"
import { toHref } from "../../router/route.ts"
import { ArtifactPanel } from "../task/artifact-panel.tsx"
import type { Order } from "./code-lines.ts"
import type { Run } from "./runs.ts"

export interface RunCardProps {
  readonly run: Run
  readonly onAgain: (order: Order) => void
}

/** As in the style sheet of the page. */
const isOneColumn = matchMedia("(max-width: 1080px)")

export function RunCard({ run, onAgain }: RunCardProps): JSX.Element {
  const { order, task, artifacts, error } = run
  const prompt = order.parameters["prompt"] ?? order.parameters["text"]
  const card = useRef<HTMLElement>(null)
  // Where the form is above, what comes out would be out of sight.
  useEffect(() => {
    if (isOneColumn.matches) card.current?.scrollIntoView({ block: "start" })
  }, [])
  const isOpen = task.status === "queued" || task.status === "running"
  return (
    <article ref={card} class="run" aria-label="A task of yours">
      {typeof prompt === "string" && (
        <p class="run-prompt">
          <bdi>{prompt}</bdi>
        </p>
      )}
      <div class="line spread" role="status">
        <StatusMark status={task.status} progress={task.progress} />
        <span class="line">
          <Button look="quiet" href={toHref(["tasks", task.task_id])}>
            Look at the task
          </Button>
          <Button look="quiet" icon="again" onPress={() => onAgain(order)}>
            Again with other words
          </Button>
        </span>
      </div>
      {isOpen && <progress max={100} value={task.progress} aria-label="Progress" />}
      {task.error !== null && (
        <p class="run-error">
          <bdi>{task.error.message}</bdi> <code class="soft">{task.error.code}</code>
        </p>
      )}
      {error !== undefined && <p class="run-error">{toSentence(error)} The task goes on.</p>}
      {artifacts.map((artifact) => (
        <ArtifactPanel key={artifact.key} task={task.task_id} artifact={artifact} />
      ))}
    </article>
  )
}
