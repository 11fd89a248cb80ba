/**
 * GET /v1/models and GET /v1/models/{model_id}: what can be asked for, within which limits and at what price.
 * Models and prices are configuration, so each answer is made once a process and has an entity tag. An id
 * contains slashes: in the path they may stand as they are, or be encoded.
 */
import type { Model } from "@safelight/core"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { createKeptFile } from "../openapi/kept-file.ts"
import { textHeader } from "../request/header-parameters.ts"
import type { Services } from "../pipeline/services.ts"
import { modelInfo, modelList, toModelBody } from "../bodies/model.ts"
import { toUnknownModelText } from "./submission-refusal.ts"

const HEADERS = {
  "If-None-Match": textHeader("Answer 304 if the answer has one of these entity tags."),
} as const

const KEPT = ["ETag", "Content-Length"] as const

const UNCHANGED = {
  description: "The caller's copy is still right.",
  always: ["X-Request-Id", "Cache-Control", "X-Content-Type-Options", "ETag"],
} as const

export const listModels = defineEndpoint({
  method: "GET",
  path: "/v1/models",
  about: {
    id: "listModels",
    tag: "Models",
    summary: "Every model",
    description: "Models and prices change only when the service is started anew.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {},
  headers: HEADERS,
  answers: { 200: { description: "The models.", json: modelList, always: KEPT }, 304: UNCHANGED },
  refusals: [],
}).handle((services) => {
  const { models } = services
  return toKept(() => ({ models: models.map((model) => toModelBody(services, model)) }))
})

export const showModel = defineEndpoint({
  method: "GET",
  path: "/v1/models/:model{.+}",
  about: { id: "getModel", tag: "Models", summary: "A model" },
  key: { scopes: ["tasks:read"], rate: "read" },
  inPath: {
    model: {
      name: "model_id",
      description: "The model's public id; its slashes may be encoded.",
      schema: { type: "string" },
    },
  },
  query: {},
  headers: HEADERS,
  answers: { 200: { description: "The model.", json: modelInfo, always: KEPT }, 304: UNCHANGED },
  refusals: ["not_found"],
}).handle((services) => {
  const { models } = services
  const ids = models.map(({ id }) => id)
  const kept = new Map(models.map((model) => [model.id, toKeptModel(services, model)]))
  return (call) => {
    const id = call.param("model")
    const show = kept.get(id)
    if (show === undefined) throw call.refuse("not_found", { message: toUnknownModelText(id, ids) })
    return show(call)
  }
})

function toKeptModel(services: Services, model: Model): ReturnType<typeof createKeptFile> {
  return toKept(() => toModelBody(services, model))
}

function toKept(make: () => object): ReturnType<typeof createKeptFile> {
  return createKeptFile({
    type: "application/json; charset=utf-8",
    read: async () => new TextEncoder().encode(JSON.stringify(make())),
  })
}
