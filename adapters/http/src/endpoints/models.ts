/**
 * GET /v1/models and GET /v1/models/{model_id}: what can be asked for, within which limits and at what price.
 * Models and prices are configuration, so an answer is kept, with its entity tag, until it changes which of them can
 * be made now. An id contains slashes: in the path they may stand as they are, or be encoded.
 */
import type { Model, UnavailableReason } from "@safelight/core"
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
    description:
      "Models and prices change only when the service is started anew; which of them are available changes " +
      "at any time.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {},
  headers: HEADERS,
  answers: { 200: { description: "The models.", json: modelList, always: KEPT }, 304: UNCHANGED },
  refusals: [],
}).handle((services) => {
  const { service } = services
  const keep = createKeptList(services)
  return async (call) => keep(await service.listUnavailable())(call)
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
  const { models, service } = services
  const ids = models.map(({ id }) => id)
  const kept = new Map(models.map((model) => [model.id, createKeptModel(services, model)]))
  return async (call) => {
    const id = call.param("model")
    const keep = kept.get(id)
    if (keep === undefined) throw call.refuse("not_found", { message: toUnknownModelText(id, ids) })
    const unavailable = await service.listUnavailable()
    return keep(unavailable.get(id) ?? null)(call)
  }
})

type Kept = ReturnType<typeof createKeptFile>

/** The answer of last time, as long as it is the same. */
function createKeptList(services: Services): (unavailable: Unavailable) => Kept {
  let kept: { readonly name: string; readonly file: Kept } | undefined
  return (unavailable) => {
    const name = JSON.stringify([...unavailable])
    if (kept?.name !== name) {
      const make = (model: Model) => toModelBody(services, model, unavailable.get(model.id))
      kept = { name, file: toKept(() => ({ models: services.models.map(make) })) }
    }
    return kept.file
  }
}

type Unavailable = ReadonlyMap<string, UnavailableReason>

/** One answer for each reason. */
function createKeptModel(
  services: Services,
  model: Model,
): (reason: UnavailableReason | null) => Kept {
  const kept = new Map<UnavailableReason | null, Kept>()
  return (reason) => {
    const file = kept.get(reason) ?? toKept(() => toModelBody(services, model, reason))
    kept.set(reason, file)
    return file
  }
}

function toKept(make: () => object): Kept {
  return createKeptFile({
    type: "application/json; charset=utf-8",
    read: async () => new TextEncoder().encode(JSON.stringify(make())),
  })
}
