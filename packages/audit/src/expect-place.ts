/**
 * Where a task belongs by its log: in the queue for as long as it has not ended, and then with retention while
 * anything of it is due. Moments are the engine's own to choose, so a row that may be there need not.
 */
import { isTerminal, type ReadyFacts, type ScannedStream, type Task } from "@safelight/core"

export interface ExpectedPlace {
  /** Undefined: none. */
  readonly ready: ReadyFacts | undefined
  /** `must`: what was written is to be erased, or an expiry to be recorded. */
  readonly retention: "must" | "may" | "none"
}

/** `task` is after its last event. */
export function expectPlace(
  task: Task,
  { hasInputs }: Pick<ScannedStream, "hasInputs">,
): ExpectedPlace {
  const { account, endBy, model } = task
  if (!isTerminal(task)) return { ready: { account, endBy, model }, retention: "none" }
  const isDue = hasInputs || task.state === "succeeded.available"
  return { ready: undefined, retention: isDue ? "must" : "may" }
}
