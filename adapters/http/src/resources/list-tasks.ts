/**
 * GET /v1/tasks: the account's own tasks, newest first, so that a caller whose POST timed out can
 * look before it leaps. The end is where `next_cursor` is null; a page that is short, or even
 * empty, is not (`Storage.listTasks`).
 */
import type { ListResult, TaskService } from "@safelight/core"
import type { Authenticate } from "../authentication/authenticate.ts"
import { refuseParameters } from "../errors/refusal.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { toCursor } from "./list-cursor.ts"
import { parseListQuery, toChoice } from "./list-query.ts"
import { toTaskText } from "./task-body.ts"

export interface ListTasksOptions {
  readonly service: TaskService
  readonly authenticate: Authenticate
}

export function createListTasks({ service, authenticate }: ListTasksOptions): Resource {
  return {
    path: "/v1/tasks",
    methods: {
      async GET({ request, method, requestId }) {
        const account = await authenticate(request.headers.get("authorization"), "tasks:read")
        const query = parseListQuery(new URL(request.url).searchParams)
        const text = toListText(await service.listTasks({ account, ...query }))
        return jsonResponse({ status: 200, text, requestId, method })
      },
    },
  }
}

function toListText(result: ListResult): string {
  if (result.kind === "unknown-model") {
    const message = toChoice("model", result.models)
    throw refuseParameters([{ param: "model", code: "invalid_value", message }])
  }
  const { tasks, next } = result
  const cursor = next === null ? null : toCursor(next)
  return `{"tasks":[${tasks.map(toTaskText).join(",")}],"next_cursor":${JSON.stringify(cursor)}}`
}
