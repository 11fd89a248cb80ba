/**
 * GET /v1/models and GET /v1/models/{model_id}: what can be asked for, within which limits and at what price. The
 * list comes in pages, in the order of the configuration. Models and prices are configuration, so an answer is
 * kept, with its entity tag, until it changes which of them can be made now. An id contains slashes: in the path they may stand as they are, or be encoded.
 */
import {
  ARTIFACT_KINDS,
  type ArtifactKind,
  type Model,
  type TaskPosition,
  type UnavailableReason,
} from "@safelight/core"
import type { Shown } from "../bodies/body.ts"
import { toNextCursor, toPageQuery } from "../bodies/page.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { createKeptFile } from "../openapi/kept-file.ts"
import { textHeader } from "../request/header-parameters.ts"
import { choice } from "../request/query-parameters.ts"
import type { Services } from "../pipeline/services.ts"
import { modelInfo, modelList, toModelBody } from "../bodies/model.ts"
import { toUnknownModelText } from "./submission-refusal.ts"

const HEADERS = {
  "If-None-Match": textHeader("Answer 304 if the answer has one of these entity tags."),
} as const

const KEPT = ["ETag", "Content-Length"] as const

/** A page of a hundred models is some 150 kB. */
const LIMITS = { most: 500, byDefault: 100 }

/** Of all queries together; the least that is read again and again is the first page. */
const KEPT_PAGES = 32

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
    summary: "The models",
    description:
      "The end of the list is where `next_cursor` is null. Models and prices change only when the service is started anew; which of them are available changes " +
      "at any time.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {
    type: choice("Models that make this, whether or not they make anything else.", ARTIFACT_KINDS),
    ...toPageQuery("models", LIMITS),
  },
  headers: HEADERS,
  answers: {
    200: { description: "A page of models.", json: modelList, always: KEPT },
    304: UNCHANGED,
  },
  refusals: [],
}).handle((services) => {
  const { service } = services
  const keep = createKeptPages(services)
  return async (call) => keep(call.query, await service.listUnavailable())(call)
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

interface ListQuery {
  readonly type: ArtifactKind | undefined
  readonly limit: number
  readonly cursor: TaskPosition | undefined
}

/** The answers of late, as long as they are the same. */
function createKeptPages(services: Services): (query: ListQuery, unavailable: Unavailable) => Kept {
  const kept = new Map<string, Kept>()
  let of = ""
  return (query, unavailable) => {
    const now = JSON.stringify([...unavailable])
    if (now !== of || kept.size >= KEPT_PAGES) kept.clear()
    of = now
    const name = JSON.stringify(query)
    const file = kept.get(name) ?? toKept(() => toListBody(services, query, unavailable))
    kept.set(name, file)
    return file
  }
}

function toListBody(
  services: Services,
  { cursor, limit, type }: ListQuery,
  unavailable: Unavailable,
): Shown<typeof modelList> {
  const { models } = services
  const start = findStart(models, cursor)
  const rest = models.flatMap((model, place) =>
    place >= start && (type === undefined || model.artifacts.includes(type))
      ? [{ model, place }]
      : [],
  )
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  return {
    models: page.map(({ model }) => toModelBody(services, model, unavailable.get(model.id))),
    next_cursor: toNextCursor(last ? { createdAt: last.place, id: last.model.id } : null),
  }
}

/** Behind the model that the cursor names, or where that was if the service does not have it any more. */
function findStart(models: readonly Model[], cursor: TaskPosition | undefined): number {
  if (cursor === undefined) return 0
  const place = models.findIndex(({ id }) => id === cursor.id)
  return place === -1 ? cursor.createdAt : place + 1
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
