/**
 * The tasks of all accounts, as an operator settles them: what the engine does for an account, with the record of the
 * change. A process without a running engine settles them too, so the engine is asked for these two methods alone.
 */
import {
  toEventPage,
  toStatus,
  type OperatorTasks,
  type ResolveRequest,
  type ResolveResult,
  type Storage,
  type Task,
  type TaskService,
  type TaskVerdict,
} from "@safelight/core"
import type { RecordChange } from "../changes/record-changes.ts"
import { parseOperation } from "./parse-operation.ts"

/** What a task needs to be settled. */
export interface Settling extends Pick<TaskService, "cancel"> {
  /** As `OperatorTasks.resolveTask`, with an operation that was read. */
  resolve(request: ResolveRequest): Promise<ResolveResult>
}

export interface TasksOptions {
  readonly engine: Settling
  readonly storage: Storage
  readonly record: RecordChange
}

export interface Tasks extends Omit<OperatorTasks, "listTasks"> {
  /**
   * Erases what a person wrote for a task for good, and its labels and idempotency key. False if nothing of it is
   * stored.
   */
  eraseInputs(id: string, changedBy: string): Promise<boolean>
}

export function createTasks({ engine, record, storage }: TasksOptions): Tasks {
  const findTask = async (id: string): Promise<Task | undefined> =>
    (await storage.readTask(id))?.task
  return {
    findTask,
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
      const { account, id: target, state } = (await findTask(verdict.task)) ?? {}
      if (state === "doubtful" && target !== undefined && account !== undefined) {
        const details = { verdict: "fail" in request ? "fail" : "adopt" } as const
        await record(changedBy, { change: "task-resolved", target, account, details })
      }
      return engine.resolve(request)
    },
    async eraseInputs(id, changedBy) {
      const { account } = (await findTask(id)) ?? {}
      if (account !== undefined) {
        await record(changedBy, { change: "task-erased", target: id, account })
      }
      return storage.eraseInputs(id)
    },
  }
}

/** Undefined if what is to be adopted is no operation. */
function toResolveRequest(verdict: TaskVerdict): ResolveRequest | undefined {
  if ("fail" in verdict) return verdict
  const adopt = parseOperation(verdict.adopt)
  return adopt === undefined ? undefined : { task: verdict.task, adopt }
}
