/**
 * fal's platform API, `api.fal.ai/v1`: the list of requests by endpoint, prices, billing events and
 * the addresses that webhooks come from. Which time `start` and `end` filter by is undocumented; the
 * stub takes the moment of sending. How far the list lags is undocumented too: the fault `list-lags`
 * hides what is younger than two minutes.
 */
import type { StubCall } from "../frame/stub-call.ts"
import type { StubContext } from "../frame/stub-definition.ts"
import { openRoute, route, type StubReply, type StubRoute } from "../frame/stub-route.ts"
import { isKnownModel } from "../frame/known-model.ts"
import { isOutput, outcomeOf, type FalJob, type FalState } from "./fal-job.ts"

const UNIT_PRICE = 0.04
const LAG_MS = 120_000
const DAY_MS = 86_400_000

export function createPlatformRoutes(state: FalState): readonly StubRoute[] {
  return [
    route("other", "GET /v1/models/requests/by-endpoint", (call) => list(state, call)),
    route("other", "GET /v1/models/billing-events", (call) => showBilling(state, call)),
    route("other", "GET /v1/models/pricing", showPrice),
    route("other", "GET /v1/models", (call) => listModels(call)),
    openRoute("other", "GET /api/openapi/queue/openapi.json", describeEndpoint),
    openRoute("other", "GET /v1/meta", () => ({ json: { webhook_ip_ranges: ["127.0.0.1/32"] } })),
  ]
}

function list(state: FalState, { query }: StubCall): StubReply {
  const { context, jobs } = state
  const endpoint = query.get("endpoint_id")
  if (endpoint === null) return toValidationError("endpoint_id is required")
  const limit = Number(query.get("limit") ?? 50)
  if (!(limit >= 1 && limit <= 100)) return toValidationError("limit is from 1 to 100")
  const until = context.clock.now() - (context.strikes("list-lags") ? LAG_MS : 0)
  const items = [...jobs.all.values()]
    .toReversed()
    .filter((job) => job.data.endpoint === endpoint && job.createdAt <= until)
    .filter((job) => isWanted(job, query, context))
    .map((job) => toItem(state, job, query.get("expand") === "payloads"))
    .filter(({ status_code: code }) => hasStatus(code, query.get("status")))
  return toPage(items, Number(query.get("cursor") ?? 0), limit)
}

/** Of any model the same: a prompt and pictures. */
function describeEndpoint({ query }: StubCall): StubReply {
  const id = query.get("endpoint_id") ?? ""
  if (!isKnownModel(id)) return { status: 404, json: { error: "Not found" } }
  const image = { type: "object", title: "Image", properties: { url: { type: "string" } } }
  const input = {
    type: "object",
    title: "Input",
    required: ["prompt"],
    "x-fal-order-properties": ["prompt", "image_size", "num_images", "seed"],
    properties: {
      seed: { title: "Seed", anyOf: [{ type: "integer" }, { type: "null" }] },
      num_images: { type: "integer", minimum: 1, maximum: 4, default: 1 },
      image_size: { type: "string", enum: ["square_hd", "landscape_16_9"], default: "square_hd" },
      prompt: { type: "string", title: "Prompt", examples: ["a lighthouse in fog"] },
    },
  }
  const output = {
    type: "object",
    properties: {
      images: { type: "array", items: { $ref: "#/components/schemas/Image" } },
      prompt: { type: "string" },
    },
  }
  return {
    json: {
      openapi: "3.0.4",
      components: { schemas: { Image: image, Input: input, Output: output } },
      paths: {
        [`/${id}`]: { post: { requestBody: json({ $ref: "#/components/schemas/Input" }) } },
        [`/${id}/requests/{request_id}`]: {
          get: { responses: { 200: json({ $ref: "#/components/schemas/Output" }) } },
        },
      },
    },
  }
}

function json(schema: object): object {
  return { content: { "application/json": { schema } } }
}

function listModels({ query }: StubCall): StubReply {
  const ids = query.getAll("endpoint_id").filter(isKnownModel)
  const models = ids.map((id) => ({ endpoint_id: id, metadata: { status: "active" } }))
  return { json: { models, next_cursor: null, has_more: false } }
}

interface Item extends Readonly<Record<string, unknown>> {
  readonly status_code: number | null
}

function toItem(state: FalState, job: FalJob, isExpanded: boolean): Item {
  const { context } = state
  const outcome = outcomeOf(state, job)
  const output = outcome !== null && isOutput(outcome) ? outcome.body : null
  const failed = outcome !== null && !isOutput(outcome) ? outcome.status : 200
  const payloads = { json_input: job.data.input, json_output: output }
  const told = (at: number): string => new Date(context.toldAt(at)).toISOString()
  return {
    request_id: job.id,
    endpoint_id: job.data.endpoint,
    sent_at: told(job.createdAt),
    started_at: context.clock.now() >= job.startAt ? told(job.startAt) : null,
    ended_at: outcome === null ? null : told(job.endAt),
    status_code: outcome === null ? null : failed,
    duration: outcome === null ? null : (job.endAt - job.startAt) / 1_000,
    ...(isExpanded && job.data.isStored ? payloads : {}),
  }
}

/** Nothing was billed for what failed, and nothing yet for what is not over. */
function showBilling(state: FalState, { query }: StubCall): StubReply {
  const job = state.jobs.all.get(query.get("request_id") ?? "")
  const outcome = job === undefined ? null : outcomeOf(state, job)
  const last = { next_cursor: null, has_more: false }
  if (job === undefined || outcome === null || !isOutput(outcome)) {
    return { json: { billing_events: [], ...last } }
  }
  const { billableUnits } = outcome
  const event = {
    request_id: job.id,
    endpoint_id: job.data.endpoint,
    timestamp: new Date(state.context.toldAt(job.endAt)).toISOString(),
    output_units: billableUnits,
    unit_price: UNIT_PRICE,
    cost_total: billableUnits * UNIT_PRICE,
  }
  return { json: { billing_events: [event], ...last } }
}

function showPrice({ query }: StubCall): StubReply {
  const unit = { unit_price: UNIT_PRICE, unit: "units", currency: "USD" }
  const price = { endpoint_id: query.get("endpoint_id"), ...unit }
  return { json: { prices: [price], next_cursor: null, has_more: false } }
}

function toValidationError(message: string): StubReply {
  return { status: 400, json: { error: { type: "validation_error", message } } }
}

function isWanted(job: FalJob, query: URLSearchParams, context: StubContext): boolean {
  const id = query.get("request_id")
  if (id !== null && id !== job.id) return false
  const now = context.toldAt()
  const start = Date.parse(query.get("start") ?? new Date(now - DAY_MS).toISOString())
  const end = Date.parse(query.get("end") ?? new Date(now + 1).toISOString())
  const sentAt = context.toldAt(job.createdAt)
  return sentAt >= start && sentAt < end
}

function hasStatus(code: number | null, status: string | null): boolean {
  if (status === null) return true
  if (code === null) return false
  if (status === "success") return code < 400
  return status === "user_error" ? code >= 400 && code < 500 : code >= 500
}

function toPage(items: readonly unknown[], start: number, limit: number): StubReply {
  const next = start + limit
  const hasMore = next < items.length
  const page = { items: items.slice(start, next), next_cursor: hasMore ? String(next) : null }
  return { json: { ...page, has_more: hasMore } }
}
