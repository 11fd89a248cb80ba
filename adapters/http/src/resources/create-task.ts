/**
 * POST /v1/tasks: 202 once the task is durable. The order of refusals is that of http-decisions
 * §1; a client that leaves while the task is accepted cancels nothing.
 */
import type { Rejection, TaskService } from "@safelight/core"
import type { Authenticate } from "../authentication/authenticate.ts"
import { checkMediaType } from "../body/media-type.ts"
import { receiveNodeBody } from "../body/node-body.ts"
import { parseBody } from "../body/parse-body.ts"
import type { BodyReader } from "../body/read-body.ts"
import { receiveWebBody } from "../body/web-body.ts"
import { Refusal, refuseParameters } from "../errors/refusal.ts"
import type { Exchange, Resource } from "../exchange.ts"
import { jsonResponse } from "../json-response.ts"
import { parseCreationRequest, toEcho } from "./creation-request.ts"
import { toTaskPath, toTaskText } from "./task-body.ts"

export interface CreateTaskOptions {
  readonly service: TaskService
  readonly authenticate: Authenticate
  readonly bodyReader: BodyReader
}

export function createCreateTask(options: CreateTaskOptions): Resource {
  const { service, authenticate, bodyReader } = options

  async function submit(bytes: Uint8Array, account: string, requestId: string): Promise<Response> {
    const { model, parameters } = parseCreationRequest(parseBody(bytes))
    const result = await service.submit({ account, model, parameters })
    if (result.kind === "rejected") throw toRefusal(result.rejection)
    const headers = { location: toTaskPath(result.task.id) }
    const text = toTaskText(result.task)
    return jsonResponse({ status: 202, text, requestId, method: "POST", headers })
  }

  return {
    path: "/v1/tasks",
    methods: {
      async POST({ request, node, requestId }) {
        const { headers } = request
        const account = await authenticate(headers.get("authorization"), "tasks:write")
        checkMediaType(headers.get("content-type"), headers.get("content-encoding"))
        const declaredLength = headers.get("content-length")
        const receive = toReceive(request, node)
        return bodyReader.read({ declaredLength, receive }, (bytes) =>
          submit(bytes, account, requestId),
        )
      },
    },
  }
}

function toReceive(
  request: Request,
  node: Exchange["node"],
): (take: (chunk: Uint8Array) => void) => Promise<void> {
  if (node === undefined) return (take) => receiveWebBody(request, take)
  return (take) => receiveNodeBody(node, take)
}

function toRefusal(rejection: Rejection): Refusal {
  switch (rejection.code) {
    case "model-not-found": {
      const message = `The model ${toEcho(rejection.model)} does not exist.`
      return refuseParameters([{ param: "model", code: "model_not_found", message }])
    }
    case "invalid-parameters": {
      const [first, ...more] = rejection.issues
      if (first === undefined) return new Refusal("internal_error")
      return refuseParameters([first, ...more])
    }
    // A submission meets no earlier state, attempt or deadline.
    case "illegal-transition":
    case "stale-attempt":
    case "past-deadline":
    case "attempts-exhausted":
    case "not-due":
      return new Refusal("internal_error", {
        cause: new Error(`a submission was refused as ${rejection.code}`),
      })
  }
}
