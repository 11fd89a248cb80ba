/** The tasks of all accounts, as an operator sees and settles them: with what the engine does for an account. */
import {
  toEventPage,
  toStatus,
  type OperatorTasks,
  type ResolveRequest,
  type Storage,
  type TaskService,
  type TaskVerdict,
} from "@safelight/core"
import type { Engine } from "@safelight/engine"
import { parseOperation } from "./parse-operation.ts"
import { toResolution, type RecordChange } from "./record-changes.ts"

export interface OperatorTasksOptions {
  readonly engine: Pick<TaskService, "cancel" | "listTasks"> & Pick<Engine, "resolve">
  readonly storage: Pick<Storage, "listAllTasks" | "readEvents" | "readTask">
  /** The names of the models. */
  readonly models: readonly string[]
  readonly record: RecordChange
}

export function createOperatorTasks({
  engine,
  models,
  record,
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
    async listStoredEvents(id, { after, limit }) {
      if ((await storage.readTask(id)) === undefined) return undefined
      return toEventPage(await storage.readEvents(id, { after, limit: limit + 1 }), limit)
    },
    async cancelTask(id, changedBy) {
      const task = await findTask(id)
      if (task === undefined) return undefined
      const { account } = task
      const isUnfinished = ["queued", "running"].includes(toStatus(task))
      if (isUnfinished) await record(changedBy, { change: "task-cancelled", target: id, account })
      return engine.cancel({ account, id })
    },
    async resolveTask(verdict, changedBy) {
      const request = toResolveRequest(verdict)
      if (request === undefined) return { kind: "no-operation" }
      const found = await findTask(verdict.task)
      if (found?.state === "doubtful") await record(changedBy, toResolution(found, request))
      return engine.resolve(request)
    },
  }
}

/** Undefined if what is to be adopted is no operation. */
function toResolveRequest(verdict: TaskVerdict): ResolveRequest | undefined {
  if ("fail" in verdict) return verdict
  const adopt = parseOperation(verdict.adopt)
  return adopt === undefined ? undefined : { task: verdict.task, adopt }
}
