/**
 * fal's queue: a request is submitted, polled, fetched and cancelled. The URLs that it hands out
 * leave out what follows owner and app in the endpoint, and an ID is known under those two alone.
 */
import { randomUUID } from "node:crypto"
import type { StubCall } from "../frame/stub-call.ts"
import type { JobPhase } from "../frame/stub-jobs.ts"
import { route, type StubReply, type StubRoute } from "../frame/stub-route.ts"
import { findInputError } from "./fal-bodies.ts"
import { CANCELLED, toFailureReply } from "./fal-failures.ts"
import { isOutput, outcomeOf, readOrder, toApp, type FalJob, type FalState } from "./fal-job.ts"
import { planWebhook } from "./fal-webhook.ts"

const LOCKED =
  "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing."

export function createQueueRoutes(state: FalState): readonly StubRoute[] {
  const withJob = (handle: (job: FalJob, call: StubCall) => StubReply) =>
    state.jobs.handle(handle, ({ data }, { params }) => toApp(data.endpoint) === params["app"])
  const showStatus = withJob((job, call) => toStatus(state, job, call.query.get("logs") === "1"))
  const showResult = withJob((job) => toResult(state, job))
  const streamStatus = withJob((job, call) => ({
    events: followStatus(state, job, call.query.get("logs") === "1"),
  }))
  return [
    route("other", "GET /{app*}/requests/{id}/status/stream", streamStatus),
    route("poll", "GET /{app*}/requests/{id}/status", showStatus),
    route("poll", "GET /{app*}/requests/{id}/response", showResult),
    route("poll", "GET /{app*}/requests/{id}", showResult),
    route(
      "other",
      "PUT /{app*}/requests/{id}/cancel",
      withJob((job) => cancel(state, job)),
    ),
    route("create", "POST /{endpoint*}", (call) => submit(state, call)),
  ]
}

async function submit(state: FalState, call: StubCall): Promise<StubReply> {
  const { context, jobs } = state
  const input = call.fields()
  const error = findInputError(call.params["endpoint"] ?? "", input)
  if (error !== undefined) return { status: 422, json: { detail: [{ ...error, input }] } }
  if (context.strikes("no-balance")) return { status: 403, json: { detail: LOCKED } }
  if (isQueueFull(state, call)) return context.refuse("busy")
  const order = readOrder(call, context)
  const job = jobs.open(randomUUID(), order)
  context.record({ id: job.id, key: null, endpoint: order.endpoint, body: input })
  if (call.host === "fal.run") {
    await context.waitUntil(job.endAt)
    return toResult(state, job)
  }
  planWebhook(state, job, call)
  const place = { status: "IN_QUEUE", queue_position: toPosition(state, job) }
  const gateway = order.webhookUrl === null ? {} : { gateway_request_id: job.id }
  return { json: { ...place, ...toAddresses(state, job), ...gateway } }
}

function isQueueFull({ jobs }: FalState, call: StubCall): boolean {
  const most = Number(call.query.get("fal_max_queue_length") ?? Infinity)
  if (most === Infinity) return false
  return [...jobs.all.values()].filter((job) => jobs.phaseOf(job) === "queued").length > most
}

function toAddresses(
  { context }: FalState,
  { id, data }: FalJob,
): Readonly<Record<string, string>> {
  const base = context.toUrl(`/${toApp(data.endpoint)}/requests/${id}`)
  const urls = { response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` }
  return { request_id: id, ...urls }
}

/** Falls as time passes; the seconds until it starts do for a number. */
function toPosition({ context }: FalState, job: FalJob): number {
  return Math.max(0, Math.ceil((job.startAt - context.clock.now()) / 1_000))
}

function toStatus(state: FalState, job: FalJob, hasLogs: boolean): StubReply {
  const phase = state.jobs.phaseOf(job)
  if (phase === "cancelled") return toFailureReply(CANCELLED)
  const addresses = toAddresses(state, job)
  const timestamp = new Date(state.context.toldAt(job.startAt)).toISOString()
  const line = { message: "Generating", level: "INFO", source: "stub", timestamp }
  const logs = { logs: hasLogs ? [line] : null }
  if (phase === "queued") {
    const place = { status: "IN_QUEUE", queue_position: toPosition(state, job) }
    return { status: 202, json: { ...place, ...addresses } }
  }
  if (phase === "running") {
    return { status: 202, json: { status: "IN_PROGRESS", ...logs, ...addresses } }
  }
  const { failure } = job.data
  const isTold = failure?.isRunner === true
  const error = isTold ? { error: failure.message, error_type: failure.type } : {}
  const metrics = { inference_time: (job.endAt - job.startAt) / 1_000 }
  return { json: { status: "COMPLETED", ...logs, metrics, ...addresses, ...error } }
}

/** Its status now and at each change, until it is over. */
async function* followStatus(state: FalState, job: FalJob, hasLogs: boolean): AsyncGenerator {
  const { context, jobs } = state
  for (const at of [job.startAt, job.endAt]) {
    if (!isUnder(jobs.phaseOf(job))) break
    yield toStatus(state, job, hasLogs).json
    // Each status follows the one before.
    // oxlint-disable-next-line no-await-in-loop
    await context.waitUntil(at, job.over)
  }
  yield toStatus(state, job, hasLogs).json
}

function isUnder(phase: JobPhase): boolean {
  return phase === "queued" || phase === "running"
}

function toResult(state: FalState, job: FalJob): StubReply {
  const outcome = outcomeOf(state, job)
  if (outcome === null) return { status: 400, json: { detail: "Request is still in progress" } }
  if (!isOutput(outcome)) return toFailureReply(outcome)
  const headers = { "x-fal-billable-units": String(outcome.billableUnits) }
  return { headers: { ...headers, "x-fal-request-id": job.id }, json: outcome.body }
}

/** The fault `late-cancel` lets the job complete all the same. */
function cancel({ context, jobs }: FalState, job: FalJob): StubReply {
  const phase = jobs.phaseOf(job)
  if (phase === "finished" || phase === "cancelled") {
    return { status: 400, json: { status: "ALREADY_COMPLETED" } }
  }
  if (!context.strikes("late-cancel")) jobs.cancel(job)
  return { status: 202, json: { status: "CANCELLATION_REQUESTED" } }
}
