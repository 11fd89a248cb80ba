/** The tasks of one account, as the engine lists them, or of all accounts. */
import type { OperatorTasks, Storage, TaskService } from "@safelight/core"

export interface TaskListOptions {
  readonly engine: Pick<TaskService, "listTasks">
  readonly storage: Pick<Storage, "listAllTasks">
  /** The ids of the models. */
  readonly models: readonly string[]
}

export function createTaskList({
  engine,
  models,
  storage,
}: TaskListOptions): OperatorTasks["listTasks"] {
  return async ({ account, after, limit, model, status, ...more }) => {
    const wanted = { limit, ...(model && { model }), ...(status && { status }) }
    if (account !== undefined) {
      return engine.listTasks({ ...more, ...wanted, account, ...(after && { after }) })
    }
    if (model !== undefined && !models.includes(model)) return { kind: "unknown-model", models }
    const page = await storage.listAllTasks({ ...wanted, ...(after && { after: after.id }) })
    // The moment is no part of this order: a cursor of it has 0.
    const next = page.next === null ? null : { createdAt: 0, id: page.next }
    return { kind: "listed", tasks: page.tasks, next }
  }
}
