/**
 * POST /mcp: the door for agents that speak the Model Context Protocol ("Streamable HTTP"). What answers is the
 * host's; here a message is let in like any request: by a key, counted as a read, bounded, and parsed. Each call that
 * it makes is a request of its own, with this request's key. A GET would open a stream on which the door has nothing
 * to say, and a DELETE end a session that it does not keep: both are 405, as the protocol allows.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { onLeft } from "../pipeline/on-left.ts"
import { maxCost } from "../request/cost-limit.ts"
import { messageBody } from "../request/message-body.ts"

const TYPES = ["text/event-stream", "application/json"]

export const answerMcp = defineEndpoint({
  method: "POST",
  path: "/mcp",
  key: { scopes: [], rate: "read" },
  headers: {
    "Safelight-Max-Cost-Micros": maxCost,
  },
  body: messageBody,
  answers: {
    200: { description: "The answer, behind its progress.", types: TYPES },
    202: { description: "A notification was taken in." },
  },
  refusals: ["concurrency_limit_exceeded", "overloaded"],
}).handleWith("mcp", (mcp, { publicUrl, streams }) => async (call) => {
  const { caller, headers, request, requestId, sent } = call
  const message = await call.body()
  const { release } = streams.reserve(caller.id)
  const left = new AbortController()
  const stop = onLeft(call, () => left.abort())
  function onOver(): void {
    stop()
    release()
  }
  try {
    const maxCostMicros = sent["Safelight-Max-Cost-Micros"]
    const asked = { account: caller.id, maxCostMicros, message, publicUrl: publicUrl(), request }
    const answer = await mcp.answer({ ...asked, left: left.signal, onOver })
    return withHeaders(answer, { ...headers, "x-request-id": requestId })
  } catch (error) {
    onOver()
    throw error
  }
})

function withHeaders(
  { body, headers, status }: Response,
  more: Readonly<Record<string, string>>,
): Response {
  const own = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
  return new Response(body, {
    status,
    headers: { ...own, ...Object.fromEntries(headers), ...more },
  })
}
