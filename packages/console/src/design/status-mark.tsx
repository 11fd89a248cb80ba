/** A status as a shape and a word: colour alone would not reach everybody. */
import type { Task } from "@safelight/client"
import type { ComponentChildren, JSX } from "preact"
import "./status-mark.css"

const WORDS = { queued: "Queued", running: "Running", succeeded: "Succeeded", failed: "Failed" }

export interface StatusMarkProps {
  readonly status: Task["status"]
  /** Shown while the task runs. */
  readonly progress?: number
}

export function StatusMark({ status, progress }: StatusMarkProps): JSX.Element {
  return (
    <Mark look={status}>
      {WORDS[status]}
      {status === "running" && progress !== undefined && <span class="number"> {progress} %</span>}
    </Mark>
  )
}

export interface MarkProps {
  /** The shape and the colour: a ring, a pulsing disc, a disc, a cross. */
  readonly look: Task["status"]
  readonly children: ComponentChildren
}

/** What is no task's status, and looks like one. */
export function Mark({ look, children }: MarkProps): JSX.Element {
  return (
    <span class={`status ${look}`}>
      <span class="status-shape" aria-hidden="true" />
      {children}
    </span>
  )
}
