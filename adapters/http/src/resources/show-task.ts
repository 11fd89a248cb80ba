/**
 * GET /v1/tasks/{task_id}: what clients poll. A finished task never changes, so its text is kept;
 * the account stands beside it and is compared, for an id alone opens nothing.
 */
import {
  isTaskId,
  createBoundedCache,
  isTerminal,
  type Task,
  type TaskService,
} from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import { carryHeaders, type Exchange, type Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { POLL_HEADERS, refuseTask } from "./find-task.ts"
import type { PublicPrefix } from "./public-prefix.ts"
import { toTaskText } from "./task-body.ts"

export interface ShowTaskOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly cachedTasks: number
  readonly prefix: PublicPrefix
}

interface Finished {
  readonly account: string
  readonly text: string
}

export function createShowTask(options: ShowTaskOptions): Resource {
  const { service, admit, prefix } = options
  const finished = createBoundedCache<Finished>(options.cachedTasks)

  function respond(exchange: Exchange, task: Task): Response {
    const text = toTaskText(task, prefix())
    if (!isTerminal(task)) return toAnswer(exchange, text, POLL_HEADERS)
    finished.set(task.id, { account: task.account, text })
    return toAnswer(exchange, text)
  }

  function show(exchange: Exchange, account: string): Response | Promise<Response> {
    const id = exchange.param("task")
    const known = finished.get(id)
    if (known !== undefined && known.account === account) return toAnswer(exchange, known.text)
    if (!isTaskId(id)) throw refuseTask()
    return service.findTask({ account, id }).then((task) => {
      if (task === undefined) throw refuseTask()
      return respond(exchange, task)
    })
  }

  return {
    path: "/v1/tasks/:task",
    methods: {
      GET(exchange) {
        const account = admit(exchange, { scopes: ["tasks:read"], policy: "read" })
        if (!(account instanceof Promise)) return show(exchange, account.id)
        return account.then(({ id }) => show(exchange, id))
      },
    },
  }
}

function toAnswer(
  exchange: Exchange,
  text: string,
  own?: Readonly<Record<string, string>>,
): Response {
  const { method, requestId } = exchange
  return jsonResponse({
    status: 200,
    text,
    requestId,
    method,
    headers: carryHeaders(exchange, own),
  })
}
