/**
 * The oracle's view of cancelling: what a caller was told holds for good, and what was bought is stopped or
 * kept. What a reader would get wrong: a caller who was told nothing may have cancelled the task as well.
 */
import { isTerminal, toStatus, type Task } from "@safelight/core"
import { isKept, type Creation } from "./creations.ts"
import type { Purchases } from "./judge-purchases.ts"
import { isForgotten } from "./round-faults.ts"

/** What a caller was told of a cancellation. */
export interface ToldCancellation {
  readonly task: string
  readonly outcome: string
  /** The task's, as it was shown with it. */
  readonly status: string
  readonly at: number
}

/** `bought`: what the upstream was made to create for the task. */
export function judgeCancellations(
  { fail, faults }: Pick<Purchases, "fail" | "faults">,
  task: Task,
  bought: readonly Creation[],
  told: readonly ToldCancellation[],
): void {
  for (const each of told.filter(({ at }) => !isForgotten(faults, at))) {
    const wrong = findWrong(each, task, bought)
    const { outcome, status } = each
    if (wrong !== undefined)
      fail(`task ${task.id} was told to be ${outcome} and ${status}, ${wrong}`)
  }
}

function findWrong(
  { outcome, status }: ToldCancellation,
  task: Task,
  bought: readonly Creation[],
): string | undefined {
  const hasEnded = status === "failed" || status === "succeeded"
  const isEnd = outcome === "cancelled" || outcome === "stopped"
  if (hasEnded && toStatus(task) !== status) return `and is ${task.state}`
  if (outcome === "cancelled" && bought.some(isKept)) return "and was bought"
  // Stopped work counts, whatever it was about to make.
  const isStopped = bought.some((creation) => creation.isStopped)
  if (outcome === "stopped" && !isStopped) return "and nothing was stopped"
  return isEnd && task.error?.code !== "task_cancelled" ? `and is ${toWords(task)}` : undefined
}

function toWords({ error, state }: Task): string {
  return error === null ? state : `${state} (${error.code})`
}

/**
 * Whether the purchase was given up by a cancellation, and may have been: it was stopped, or nobody knew of it,
 * as a doubt.
 */
export function isGivenUp(task: Task, { isStopped }: Creation): boolean {
  if (!isTerminal(task) || task.error?.code !== "task_cancelled") return false
  return isStopped || task.operation === null
}
