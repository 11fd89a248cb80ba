/**
 * GET /v1/tasks/{task_id}: what clients poll. A finished task never changes, so its text is kept;
 * the account is kept with it and compared, for an id alone opens nothing.
 */
import { createBoundedCache, isTerminal, type Task } from "@safelight/core"
import type { Written } from "../bodies/body.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { preferWait } from "../request/prefer-wait.ts"
import type { Waited } from "../pipeline/task-waits.ts"
import { findTask, POLL_HEADERS } from "./find-task.ts"
import { task, toTaskText } from "../bodies/task.ts"

interface Finished {
  readonly account: string
  readonly text: Written<typeof task>
}

const SCOPES = ["tasks:read"] as const

export const showTask = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task",
  about: {
    id: "getTask",
    tag: "Tasks",
    summary: "A task",
    description:
      "Poll every few seconds until its status is `succeeded` or `failed`, or wait for that: " +
      "`Prefer: wait=30`. Without `Preference-Applied` in the answer there was no room for a wait, and the " +
      "next request is to be put off as `Retry-After` says.",
  },
  key: { scopes: SCOPES, rate: "read" },
  inPath: { task: TASK_ID },
  headers: { Prefer: preferWait },
  answers: {
    200: {
      description: "The task. `Retry-After` says when to ask again, while it is unfinished.",
      json: task,
      sometimes: ["Retry-After", "Preference-Applied"],
    },
  },
  refusals: ["task_not_found"],
}).handle(({ service, prefix, settings, waits }) => {
  const finished = createBoundedCache<Finished>(settings.cachedTasks)
  return (call) => {
    const account = call.caller.id
    const known = finished.get(call.param("task"))
    const seconds = call.sent.Prefer
    if (known?.account === account && seconds === undefined) return call.reply(200, known.text)
    const answer = (found: Task, headers?: Waited["headers"]): Response => {
      const text = toTaskText(found, prefix())
      if (!isTerminal(found)) return call.reply(200, text, { ...POLL_HEADERS, ...headers })
      finished.set(found.id, { account: found.account, text })
      return call.reply(200, text, headers)
    }
    const finding = findTask(call, (id) => service.findTask({ account, id }))
    if (seconds === undefined) return finding.then((found) => answer(found))
    return finding
      .then((found) => waits.wait(call, found, { seconds, scopes: SCOPES }))
      .then((waited) => answer(waited.task, waited.headers))
  }
})
