/** The tasks of all accounts, as an operator sees and settles them: with what the engine does for an account. */
import type { OperatorTasks, Storage, TaskService } from "@safelight/core"
import type { Engine } from "@safelight/engine"
import { parseOperation } from "./parse-operation.ts"

export interface OperatorTasksOptions {
  readonly engine: Pick<TaskService, "cancel" | "listTasks"> & Pick<Engine, "resolve">
  readonly storage: Pick<Storage, "listAllTasks" | "readEvents" | "readTask">
  /** The names of the models. */
  readonly models: readonly string[]
}

export function createOperatorTasks({
  engine,
  models,
  storage,
}: OperatorTasksOptions): OperatorTasks {
  const findTask: OperatorTasks["findTask"] = async (id) => (await storage.readTask(id))?.task
  return {
    findTask,
    async listTasks({ account, after, limit, model, status, ...more }) {
      const wanted = { limit, ...(model && { model }), ...(status && { status }) }
      if (account !== undefined) {
        return engine.listTasks({ ...more, ...wanted, account, ...(after && { after }) })
      }
      if (model !== undefined && !models.includes(model)) return { kind: "unknown-model", models }
      const page = await storage.listAllTasks({ ...wanted, ...(after && { after: after.id }) })
      // The moment is no part of this order: a cursor of it has 0.
      const next = page.next === null ? null : { createdAt: 0, id: page.next }
      return { kind: "listed", tasks: page.tasks, next }
    },
    async listStoredEvents(id) {
      const events = await storage.readEvents(id)
      return events.length === 0 ? undefined : events
    },
    async cancelTask(id) {
      const task = await findTask(id)
      return task && engine.cancel({ account: task.account, id })
    },
    async resolveTask(verdict) {
      if ("fail" in verdict) return engine.resolve(verdict)
      const adopt = parseOperation(verdict.adopt)
      if (adopt === undefined) return { kind: "no-operation" }
      return engine.resolve({ task: verdict.task, adopt })
    },
  }
}
