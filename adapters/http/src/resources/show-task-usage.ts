/**
 * GET /v1/tasks/{task_id}/usage: what one task used, and cost by which price. A task that is not
 * finished has used nothing yet, and is answered all the same.
 */
import { isTaskId, type TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import type { Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { refuseTask } from "./find-task.ts"
import { toTaskUsageText } from "./usage-body.ts"

export interface ShowTaskUsageOptions {
  readonly service: Pick<TaskService, "findUsage">
  readonly admit: Admit
}

export function createShowTaskUsage({ service, admit }: ShowTaskUsageOptions): Resource {
  return {
    path: "/v1/tasks/:task/usage",
    methods: {
      async GET(exchange) {
        const { method, requestId } = exchange
        const account = await admit(exchange, { scopes: ["tasks:read"], policy: "read" })
        const id = exchange.param("task")
        const found = isTaskId(id)
          ? await service.findUsage({ account: account.id, id })
          : undefined
        if (found === undefined) throw refuseTask()
        return jsonResponse({ status: 200, text: toTaskUsageText(found), requestId, method })
      },
    },
  }
}
