/**
 * POST /v1/tasks/{task_id}/cancel: ends a task as far as what was bought for it can be stopped. It is no
 * error if that is not possible: the answer says what came of it, and a second request tells the same.
 */
import type { Cancellation } from "@safelight/core"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { noBody } from "../request/body-kinds.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { findTask } from "./find-task.ts"
import { cancellation, toCancellationText } from "../bodies/task.ts"

export const cancelTask = defineEndpoint({
  method: "POST",
  path: "/v1/tasks/:task/cancel",
  about: {
    id: "cancelTask",
    tag: "Tasks",
    summary: "Cancel a task",
    description:
      "A cancelled task is `failed` with `task_cancelled` and costs nothing, unless its provider says that " +
      "the work was billed. What can't be stopped goes on: if it succeeds, its artifacts are kept and it is " +
      "charged. May take some seconds, while the provider is asked. Repeat it safely.",
  },
  key: { scopes: ["tasks:write"], rate: "read" },
  inPath: { task: TASK_ID },
  query: {},
  body: noBody("This request takes no body."),
  answers: { 200: { description: "What came of it.", json: cancellation } },
  refusals: ["task_not_found"],
}).handle(({ service, prefix }) => async (call) => {
  const account = call.caller.id
  const cancel = (id: string): Promise<Cancellation | undefined> => service.cancel({ account, id })
  const found = await findTask(call, cancel)
  return call.reply(200, toCancellationText(found, prefix()))
})
