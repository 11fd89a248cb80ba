/**
 * /openai/v1: the door for programs that speak to OpenAI. What answers is the host's; here a request is let in like
 * any other, and the requests of the task API that come of it have its key. No document describes these paths but
 * OpenAI's own.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { onLeft } from "../pipeline/on-left.ts"
import { THREADS, type Exchange } from "../pipeline/exchange.ts"
import { maxCost } from "../request/cost-limit.ts"
import { formBody } from "../request/form-body.ts"
import { messageBody } from "../request/message-body.ts"
import { respond } from "../pipeline/json-response.ts"
import type { OpenAiAnswer, OpenAiQuestion } from "../pipeline/services.ts"

const JSON_ANSWER = { description: "An answer of that API.", types: ["application/json"] }
const IMAGES_ANSWER = {
  description: "The images.",
  types: ["application/json", "text/event-stream"],
}

/** What makes images has them in its answer. */
const MAKING = {
  method: "POST",
  key: { scopes: ["tasks:write", "tasks:read", "artifacts:read"], rate: "read" },
  headers: { "Safelight-Max-Cost-Micros": maxCost },
  answers: { 200: IMAGES_ANSWER },
  refusals: ["concurrency_limit_exceeded", "overloaded"],
} as const

const READING = {
  method: "GET",
  key: { scopes: ["tasks:read"], rate: "read" },
  answers: { 200: JSON_ANSWER },
  refusals: [],
} as const

export const openAiImages = defineEndpoint({
  ...MAKING,
  path: "/openai/v1/images/generations",
  body: messageBody,
}).handleWith("openai", (openai, { streams }) => async (call) => {
  const message = await call.body()
  const { release } = streams.reserve(call.caller.id)
  const maxCostMicros = call.sent["Safelight-Max-Cost-Micros"]
  const asked = { message, maxCostMicros, onTaken: call.releaseBody }
  return answer(call, (question) => openai.generateImages({ ...question, ...asked }), release)
})

export const openAiEdits = defineEndpoint({
  ...MAKING,
  path: "/openai/v1/images/edits",
  body: formBody,
}).handleWith("openai", (openai, { streams }) => async (call) => {
  const message = await call.body()
  const { release } = streams.reserve(call.caller.id)
  const maxCostMicros = call.sent["Safelight-Max-Cost-Micros"]
  const asked = { message, maxCostMicros, onTaken: call.releaseBody }
  return answer(call, (question) => openai.editImages({ ...question, ...asked }), release)
})

export const openAiCreateVideo = defineEndpoint({
  ...MAKING,
  path: "/openai/v1/videos",
  key: { scopes: ["tasks:write", "tasks:read"], rate: "read" },
  body: formBody,
  answers: { 200: JSON_ANSWER },
}).handleWith("openai", (openai) => async (call) => {
  const message = await call.body()
  const maxCostMicros = call.sent["Safelight-Max-Cost-Micros"]
  const asked = { message, maxCostMicros, onTaken: call.releaseBody }
  return answer(call, (question) => openai.createVideo({ ...question, ...asked }))
})

export const openAiVideos = defineEndpoint({
  ...READING,
  path: "/openai/v1/videos",
}).handleWith("openai", (openai) => (call) => answer(call, (asked) => openai.listVideos(asked)))

export const openAiVideo = defineEndpoint({
  ...READING,
  path: "/openai/v1/videos/:video",
}).handleWith(
  "openai",
  (openai) => (call) => answer(call, (asked) => openai.showVideo(asked, call.param("video"))),
)

export const openAiDeleteVideo = defineEndpoint({
  ...READING,
  method: "DELETE",
  path: "/openai/v1/videos/:video",
  key: { scopes: ["tasks:write", "tasks:read"], rate: "read" },
}).handleWith(
  "openai",
  (openai) => (call) => answer(call, (asked) => openai.deleteVideo(asked, call.param("video"))),
)

export const openAiVideoContent = defineEndpoint({
  ...READING,
  path: "/openai/v1/videos/:video/content",
  key: { scopes: ["tasks:read", "artifacts:read"], rate: "read" },
  answers: {
    200: { description: "The video.", types: ["video/mp4"] },
    206: { description: "The part asked for.", types: ["video/mp4"] },
  },
}).handleWith(
  "openai",
  (openai) => (call) =>
    answer(call, (asked) => openai.showVideoContent(asked, call.param("video"))),
)

export const openAiModels = defineEndpoint({
  ...READING,
  path: "/openai/v1/models",
}).handleWith("openai", (openai) => (call) => answer(call, (asked) => openai.listModels(asked)))

export const openAiModel = defineEndpoint({
  ...READING,
  path: "/openai/v1/models/:model{.+}",
}).handleWith(
  "openai",
  (openai) => (call) => answer(call, (asked) => openai.showModel(asked, call.param("model"))),
)

async function answer(
  call: Exchange,
  ask: (question: OpenAiQuestion) => Promise<OpenAiAnswer>,
  release?: () => void,
): Promise<Response> {
  const { request, threads } = call
  const leaving = new AbortController()
  const stop = onLeft(call, () => leaving.abort())
  function onOver(): void {
    stop()
    release?.()
  }
  const bindings = { [THREADS]: threads }
  const { body, headers, status } = await ask({ request, bindings, left: leaving.signal, onOver })
  if (typeof body === "string") return respond(call, status, body, headers)
  const own = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
  const all = { ...own, ...headers, ...call.headers }
  return new Response(body, { status, headers: { ...all, "x-request-id": call.requestId } })
}
