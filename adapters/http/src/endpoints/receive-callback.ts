/**
 * POST /v1/channels/{channel}/callback/{key}: a provider calls back, without an API key. The key in the path
 * is the permission, and it is checked before a byte of the body is read: without it the answer is the 404
 * of an address that does not exist.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { callbackBody } from "../request/body-kinds.ts"
import { toQuery } from "../request/query-parameters.ts"

export const receiveCallback = defineEndpoint({
  method: "POST",
  path: "/v1/channels/:channel/callback/:key",
  about: {
    id: "receiveCallback",
    tag: "Callbacks",
    summary: "A provider tells of its work",
    description:
      "For providers alone: the address is the service's own, and what comes is believed only " +
      "as far as the provider has signed it.",
  },
  inPath: {
    channel: {
      name: "channel",
      description: "The channel's name.",
      schema: { type: "string" },
    },
    key: {
      name: "key",
      description: "What the service gave to the provider, for one purchase; nobody can guess it.",
      schema: { type: "string" },
    },
  },
  body: callbackBody,
  answers: {
    204: { description: "It was taken in.", always: ["X-Request-Id", "Cache-Control"] },
  },
  refusals: ["not_found", "invalid_callback", "internal_error", "service_unavailable"],
}).handleWith("callbacks", (callbacks) => async (call) => {
  const result = await callbacks.receiveCallback({
    channel: call.param("channel"),
    key: call.param("key"),
    headers: Object.fromEntries(call.request.headers),
    query: Object.fromEntries(toQuery(call.request.url)),
    readBody: call.body,
  })
  if (result === "unknown") throw call.refuse("not_found")
  if (result === "forged") throw call.refuse("invalid_callback")
  return call.reply(204)
})
