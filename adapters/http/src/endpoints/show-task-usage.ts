/**
 * GET /v1/tasks/{task_id}/usage: what one task used, and cost by which price. A task that is not
 * finished has used nothing yet, and is answered all the same.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { TASK_ID } from "../request/path-parameters.ts"
import { findTask } from "./find-task.ts"
import { taskUsage, toTaskUsageBody } from "../bodies/usage.ts"

export const showTaskUsage = defineEndpoint({
  method: "GET",
  path: "/v1/tasks/:task/usage",
  about: {
    id: "getTaskUsage",
    tag: "Usage",
    summary: "What a task used and cost",
    description: "Amounts are integer micro-units of the account's currency.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  inPath: { task: TASK_ID },
  answers: { 200: { description: "The task's usage.", json: taskUsage } },
  refusals: ["task_not_found"],
}).handle(({ service, currency }) => async (call) => {
  const account = call.caller.id
  const find = (id: string) => service.findUsage({ account, id })
  const found = await findTask(call, find)
  return call.reply(200, { ...toTaskUsageBody(found), currency })
})
