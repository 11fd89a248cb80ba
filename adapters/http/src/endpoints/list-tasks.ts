/**
 * GET /v1/tasks: the account's own tasks, newest first, so that a caller whose POST timed out can look
 * before repeating it. Only a null `next_cursor` is the end: a page may be short, or even empty, before it
 * (`Storage.listTasks`). A cursor is a position and knows nothing of the page that it came from: the other
 * parameters may differ. Prompts are inputs, which may be erased: they are read only if they are asked for.
 */
import { taskList, toTaskListText } from "../bodies/task.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { choice } from "../request/query-parameters.ts"
import { demandPage, TASK_QUERY, toListRequest } from "./task-query.ts"

export const listTasks = defineEndpoint({
  method: "GET",
  path: "/v1/tasks",
  about: {
    id: "listTasks",
    tag: "Tasks",
    summary: "The account's tasks, newest first",
    description:
      "Look here before a creation that timed out is repeated. A parameter that is not known, or " +
      "that stands twice (except `label`), is refused. The end of the list is where `next_cursor` is null.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {
    ...TASK_QUERY,
    include: choice("`prompt`: each task with the beginning of its prompt.", ["prompt"]),
  },
  answers: { 200: { description: "A page of tasks.", json: taskList } },
  refusals: ["invalid_value"],
}).handle(({ service, prefix }) => async (call) => {
  const request = {
    account: call.caller.id,
    ...toListRequest(call.query),
    ...(call.query.include === "prompt" && { withPrompts: true }),
  }
  const page = demandPage(call.refuse, await service.listTasks(request))
  return call.reply(200, toTaskListText(page, prefix()))
})
