/** Tasks of all accounts as a handler knows them: one of each kind that an operator may settle or not. */
import type { OperatorTasks, StoredEvent } from "@safelight/core"
import { toTask } from "./fake-service.ts"

const toId = (place: number): string => `01a20800-0000-7000-8000-00000000000${place}`

export const IN_DOUBT = toId(1)
export const RUNNING = toId(2)
/** No task has it. */
export const UNKNOWN = toId(9)

const EVENT: StoredEvent = {
  at: 1_767_225_600_900,
  data: "{}",
  hash: "ab".repeat(32),
  schema: 2,
  sealed: '{"operation":7,"salt":"saltsaltsaltsaltsaltsa"}',
  task: RUNNING,
  type: "accepted",
  version: 4,
}

export function createFakeOperatorTasks(
  ask: <Value>(question: unknown, value: Value) => Promise<Value>,
  noteChanger: (changedBy: string) => void,
): OperatorTasks {
  const find = (id: string) => (id === UNKNOWN ? undefined : toTask(id, { account: "account-b" }))
  return {
    listTasks: (request) =>
      request.model === "model-x"
        ? ask(request, { kind: "unknown-model" as const, models: ["model-a"] })
        : ask(request, {
            kind: "listed" as const,
            tasks: [toTask(RUNNING, { account: "account-b" })],
            next: { createdAt: 0, id: RUNNING },
          }),
    findTask: (id) => ask(["find", id], find(id)),
    listStoredEvents: (id, range) =>
      ask(["events", id, range], find(id) && { events: [EVENT], next: 4 }),
    async cancelTask(id, changedBy) {
      noteChanger(changedBy)
      const task = await ask(["cancel", id], find(id))
      return task && { outcome: "too-late", task }
    },
    resolveTask(verdict, changedBy) {
      noteChanger(changedBy)
      const task = find(verdict.task)
      if (task === undefined) return ask(verdict, { kind: "unknown-task" as const })
      if ("adopt" in verdict && verdict.adopt === "{") {
        return ask(verdict, { kind: "no-operation" as const })
      }
      if (verdict.task !== IN_DOUBT) {
        return ask(verdict, { kind: "not-doubtful" as const, state: task.state })
      }
      return ask(verdict, { kind: "resolved" as const, task })
    },
  }
}
