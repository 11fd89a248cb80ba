/** What a front end may know of tasks: an account sees its own alone. */
import { openEvent, type TaskRequest, type TaskService } from "@safelight/core"
import type { Context } from "./context.ts"
import { listTasks } from "./list-tasks.ts"
import { findUsage, sumUsage } from "./usage.ts"

export interface TaskReads extends Omit<TaskService, "submit"> {
  erase(request: TaskRequest): Promise<boolean>
}

export function createReads(context: Context): TaskReads {
  const { artifacts, storage } = context
  return {
    async findTask({ account, id }) {
      const head = await storage.readTask(id)
      return head?.task.account === account ? head.task : undefined
    },
    listTasks: (request) => listTasks(context, request),
    async findArtifacts({ account, id }) {
      const head = await storage.readTask(id)
      if (head?.task.account !== account) return undefined
      return { task: head.task, artifacts: await storage.readArtifacts(id) }
    },
    async findLinked(id) {
      // Both in any case: how long it takes must not tell whether there is such a task.
      const [head, found] = await Promise.all([storage.readTask(id), storage.readArtifacts(id)])
      return head && { task: head.task, artifacts: found }
    },
    async listEvents({ account, id }) {
      const head = await storage.readTask(id)
      return head?.task.account === account
        ? (await storage.readEvents(id)).map(openEvent)
        : undefined
    },
    findUsage: (request) => findUsage(context, request),
    sumUsage: (request) => sumUsage(context, request),
    openArtifact: ({ artifact, ...range }) =>
      artifacts.open({ locator: artifact.locator, ...range }),
    async erase({ account, id }) {
      const head = await storage.readTask(id)
      return head?.task.account === account && storage.eraseInputs(id)
    },
  }
}
