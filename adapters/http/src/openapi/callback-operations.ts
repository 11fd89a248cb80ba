/** What a provider calls. It is described for whoever looks at a service's traffic: no client calls it. */
import { toOperation, type Parameter } from "./operation.ts"
import { toHeaders } from "./response-headers.ts"
import type { PathItem } from "./task-operations.ts"

const CHANNEL: Parameter = {
  name: "channel",
  in: "path",
  required: true,
  description: "The channel's name.",
  schema: { type: "string" },
}

const KEY: Parameter = {
  name: "key",
  in: "path",
  required: true,
  description: "What the service gave to the provider, for one purchase; nobody can guess it.",
  schema: { type: "string" },
}

export function toCallbackPaths(): Record<string, PathItem> {
  return {
    "/v1/channels/{channel}/callback/{key}": {
      post: toOperation({
        id: "receiveCallback",
        tag: "Callbacks",
        summary: "A provider tells of its work",
        description:
          "For providers alone: the address is the service's own, and what comes is believed only " +
          "as far as the provider has signed it.",
        parameters: [CHANNEL, KEY],
        requestBody: { required: true, content: { "*/*": {} } },
        answers: {
          "204": {
            description: "It was taken in.",
            headers: toHeaders({ always: ["X-Request-Id", "Cache-Control"] }),
          },
        },
        refusals: [
          "not_found",
          "invalid_callback",
          "request_too_large",
          "overloaded",
          "internal_error",
          "service_unavailable",
        ],
      }),
    },
  }
}
