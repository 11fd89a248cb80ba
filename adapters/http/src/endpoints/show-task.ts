/**
 * GET /v1/tasks/{task_id}: what clients poll. A finished task never changes, so its text is kept;
 * the account is kept with it and compared, for an id alone opens nothing.
 */
import { createBoundedCache, isTerminal } from "@safelight/core"
import { defineEndpoint } from "../endpoint.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { findTask, POLL_HEADERS } from "./find-task.ts"
import { toTaskText } from "./task-body.ts"

interface Finished {
  readonly account: string
  readonly text: string
}

export const showTask = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task",
  about: {
    id: "getTask",
    tag: "Tasks",
    summary: "A task",
    description: "Poll every few seconds until its status is `succeeded` or `failed`.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  inPath: { task: TASK_ID },
  answers: {
    200: {
      description: "The task. `Retry-After` says when to ask again, while it is unfinished.",
      json: "Task",
      sometimes: ["Retry-After"],
    },
  },
  refusals: ["task_not_found"],

  create({ service, prefix, settings }, { refuse, reply }) {
    const finished = createBoundedCache<Finished>(settings.cachedTasks)
    return (call) => {
      const account = call.caller.id
      const task = call.param("task")
      const known = finished.get(task)
      if (known?.account === account) return reply(call, 200, known.text)
      return findTask(refuse, task, (id) => service.findTask({ account, id })).then((found) => {
        const text = toTaskText(found, prefix())
        if (!isTerminal(found)) return reply(call, 200, text, POLL_HEADERS)
        finished.set(found.id, { account: found.account, text })
        return reply(call, 200, text)
      })
    }
  },
})
