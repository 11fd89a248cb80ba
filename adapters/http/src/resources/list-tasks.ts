/**
 * GET /v1/tasks: the account's own tasks, newest first, so that a caller whose POST timed out can
 * look before it leaps. The end is where `next_cursor` is null; a page that is short, or even
 * empty, is not (`Storage.listTasks`).
 */
import type { ListResult, TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import { refuseParameters } from "../errors/refusal.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { toCursor } from "./list-cursor.ts"
import { parseListQuery, toChoice } from "./list-query.ts"
import type { PublicPrefix } from "./public-prefix.ts"
import { toTaskText } from "./task-body.ts"

export interface ListTasksOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly prefix: PublicPrefix
}

export function createListTasks({ service, admit, prefix }: ListTasksOptions): Resource {
  return {
    path: "/v1/tasks",
    methods: {
      async GET(exchange) {
        const { request, method, requestId } = exchange
        const account = await admit(exchange, { scopes: ["tasks:read"], policy: "read" })
        const query = parseListQuery(request.url)
        const text = toListText(
          await service.listTasks({ account: account.id, ...query }),
          prefix(),
        )
        return jsonResponse({ status: 200, text, requestId, method })
      },
    },
  }
}

function toListText(result: ListResult, prefix: string): string {
  if (result.kind === "unknown-model") {
    const message = toChoice("model", result.models)
    throw refuseParameters([{ param: "model", code: "invalid_value", message }])
  }
  const { tasks, next } = result
  const cursor = next === null ? null : toCursor(next)
  const texts = tasks.map((task) => toTaskText(task, prefix))
  return `{"tasks":[${texts.join(",")}],"next_cursor":${JSON.stringify(cursor)}}`
}
