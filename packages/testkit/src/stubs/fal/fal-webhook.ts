/**
 * fal's webhook: one for each job, at its end. `status` is OK or ERROR. A payload that can't be written as JSON is
 * missing, with `payload_error` in its place, although the status is OK.
 */
import { randomUUID } from "node:crypto"
import type { StubCall } from "../frame/stub-call.ts"
import type { WebhookMessage } from "../frame/stub-webhooks.ts"
import { toFailureBody } from "./fal-failures.ts"
import { isOutput, outcomeOf, type FalJob, type FalState } from "./fal-job.ts"

/** 31 tries, the later ones 120 s apart, until the stored result expires about an hour later. */
const RETRY_MS = [1_000, 5_000, 15_000, 60_000].concat(Array.from({ length: 26 }, () => 120_000))

/** Does nothing for a job without a webhook. */
export function planWebhook(state: FalState, job: FalJob, call: StubCall): void {
  const { context, signer, jobs } = state
  const { webhookUrl: url } = job.data
  if (url === null) return
  context.webhooks.plan(call, {
    url,
    events: [{ at: job.endAt, toMessage: () => toMessage(state, job) }],
    retryMs: RETRY_MS,
    // A redirect is a permanent failure, and ends the tries as success does.
    isFinal: (status) => status >= 200 && status < 400,
    over: job.over,
    finishNow: () => jobs.finish(job),
    sign(raw, at) {
      if (job.data.rotatesKey) signer.rotate()
      return signer.sign(raw, at)
    },
  })
}

function toMessage(state: FalState, job: FalJob): WebhookMessage | null {
  const { id, data } = job
  const outcome = outcomeOf(state, job)
  if (outcome === null) return null
  // After a retry of its own fal has the last try's ID there, and knows both IDs.
  const gatewayId = data.isRetried ? randomUUID() : id
  const ids = { request_id: id, gateway_request_id: gatewayId }
  const refused = { ...ids, status: "ERROR", error: "Invalid status code: 422", payload: {} }
  const foreignId = randomUUID()
  if (!isOutput(outcome)) {
    const error = `Invalid status code: ${outcome.status}`
    const body = { ...ids, status: "ERROR", error, payload: toFailureBody(outcome) }
    return { body, lie: { ...ids, status: "OK", payload: { images: [] } }, id, foreignId }
  }
  const payload = data.losesPayload
    ? { payload: null, payload_error: "Response payload is not JSON serializable." }
    : { payload: outcome.body }
  return { body: { ...ids, status: "OK", ...payload }, lie: refused, id, foreignId }
}
