/** A task's status as a shape and a word: colour alone would not reach everybody. */
import type { Task } from "@safelight/client"
import type { JSX } from "preact"
import "./status-mark.css"

const WORDS = { queued: "Queued", running: "Running", succeeded: "Succeeded", failed: "Failed" }

export interface StatusMarkProps {
  readonly status: Task["status"]
  /** Shown while the task runs. */
  readonly progress?: number
}

export function StatusMark({ status, progress }: StatusMarkProps): JSX.Element {
  return (
    <span class={`status ${status}`}>
      <span class="status-shape" aria-hidden="true" />
      {WORDS[status]}
      {status === "running" && progress !== undefined && <span class="number"> {progress} %</span>}
    </span>
  )
}
