/** GET /v1/tasks/{task_id}/events: what happened to a task, by its log. */
import { isTaskId, type TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { toEventsText } from "./events-body.ts"
import { refuseTask } from "./find-task.ts"

export interface ListEventsOptions {
  readonly service: Pick<TaskService, "listEvents">
  readonly admit: Admit
}

export function createListEvents({ service, admit }: ListEventsOptions): Resource {
  return {
    path: "/v1/tasks/:task/events",
    methods: {
      async GET(exchange) {
        const { method, requestId } = exchange
        const account = await admit(exchange, { scopes: ["tasks:read"], policy: "read" })
        const id = exchange.param("task")
        const events = isTaskId(id)
          ? await service.listEvents({ account: account.id, id })
          : undefined
        if (events === undefined) throw refuseTask()
        return jsonResponse({ status: 200, text: toEventsText(id, events), requestId, method })
      },
    },
  }
}
