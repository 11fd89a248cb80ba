/**
 * Ending a task by hand, whatever state it is in: it fails with `task_cancelled` and is not charged.
 * Like settling a doubt it needs no engine, as any process may append. Whoever works on the task learns
 * of it at the next fact that it wants to record, which is refused; what a provider was asked for by
 * then may be billed by it all the same.
 */
import { isTerminal, type Task } from "@safelight/core"
import { createLonePorts, type ResolvePorts } from "./resolve-task.ts"

export type CancelResult =
  | { readonly kind: "cancelled"; readonly task: Task }
  | { readonly kind: "unknown-task" }
  /** It had ended by itself. */
  | { readonly kind: "finished"; readonly task: Task }

/** Twice finds it finished. Rejects as `resolveTask` does. */
export async function cancelTask(ports: ResolvePorts, id: string): Promise<CancelResult> {
  const { recorder, storage } = await createLonePorts(ports)
  for (;;) {
    const head = await storage.readTask(id)
    if (head === undefined) return { kind: "unknown-task" }
    const { task } = head
    if (isTerminal(task)) return { kind: "finished", task }
    const command = { kind: "fail", attempt: task.attempt, code: "task_cancelled" } as const
    const recorded = await recorder.recordIntent(head, command)
    if (recorded.kind === "recorded") return { kind: "cancelled", task: recorded.head.task }
    if (recorded.kind === "refused") throw new TypeError(`a task that is ${task.state} took no end`)
  }
}
