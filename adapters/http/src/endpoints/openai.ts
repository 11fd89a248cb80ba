/**
 * /openai/v1: the door for programs that speak to OpenAI. What answers is the host's; here a request is let in like
 * any other, and the requests of the task API that come of it have its key. No document describes these paths but
 * OpenAI's own.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { onLeft } from "../pipeline/on-left.ts"
import type { Exchange } from "../pipeline/exchange.ts"
import { maxCost } from "../request/cost-limit.ts"
import { messageBody } from "../request/message-body.ts"
import type { OpenAiQuestion } from "../pipeline/services.ts"

const JSON_ANSWER = { description: "An answer of that API.", types: ["application/json"] }

export const openAiImages = defineEndpoint({
  method: "POST",
  path: "/openai/v1/images/generations",
  key: { scopes: ["tasks:write", "tasks:read", "artifacts:read"], rate: "read" },
  headers: { "Safelight-Max-Cost-Micros": maxCost },
  body: messageBody,
  answers: {
    200: { description: "The images.", types: ["application/json", "text/event-stream"] },
  },
  refusals: ["concurrency_limit_exceeded", "overloaded"],
}).handleWith("openai", (openai, { streams }) => async (call) => {
  const message = await call.body()
  call.releaseBody()
  const { release } = streams.reserve(call.caller.id)
  const maxCostMicros = call.sent["Safelight-Max-Cost-Micros"]
  return answer(call, release, (watched) =>
    openai.generateImages({ request: call.request, message, maxCostMicros, ...watched }),
  )
})

export const openAiModels = defineEndpoint({
  method: "GET",
  path: "/openai/v1/models",
  key: { scopes: ["tasks:read"], rate: "read" },
  answers: { 200: JSON_ANSWER },
  refusals: [],
}).handleWith("openai", (openai) => async (call) => {
  return answer(call, undefined, (watched) =>
    openai.listModels({ request: call.request, ...watched }),
  )
})

export const openAiModel = defineEndpoint({
  method: "GET",
  path: "/openai/v1/models/:model{.+}",
  key: { scopes: ["tasks:read"], rate: "read" },
  answers: { 200: JSON_ANSWER },
  refusals: [],
}).handleWith("openai", (openai) => async (call) => {
  const id = call.param("model")
  return answer(call, undefined, (watched) =>
    openai.showModel({ request: call.request, ...watched }, id),
  )
})

type Watched = Pick<OpenAiQuestion, "left" | "onOver">

async function answer(
  call: Exchange,
  release: (() => void) | undefined,
  ask: (watched: Watched) => Promise<Response>,
): Promise<Response> {
  const leaving = new AbortController()
  const stop = onLeft(call, () => leaving.abort())
  function onOver(): void {
    stop()
    release?.()
  }
  const { body, headers, status } = await ask({ left: leaving.signal, onOver })
  const own = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
  const all = { ...own, ...Object.fromEntries(headers), ...call.headers }
  return new Response(body, { status, headers: { ...all, "x-request-id": call.requestId } })
}
