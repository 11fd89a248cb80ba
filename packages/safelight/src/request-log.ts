/**
 * One line a request, at its end: what somebody who was given a request id looks for. It says which
 * task a submission made, and every later line of that task carries the task's id. A path stands
 * there as its pattern: what a caller wrote, links with their tokens above all, is in no line.
 */
import type { Log, LogFields } from "@safelight/core"
import type { AnsweredRequest, OnAnswered } from "@safelight/http"

/** Asked every few seconds by machines; what is wrong there is logged where it goes wrong. */
const SILENT_ROUTES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])

export function createRequestLog(log: Log): OnAnswered {
  return (request) => {
    if (SILENT_ROUTES.has(request.route)) return
    const fields = toFields(request)
    if (request.status === 500) log.error(fields, "request")
    else if (request.status > 500) log.warn(fields, "request")
    else log.info(fields, "request")
  }
}

function toFields(request: AnsweredRequest): LogFields {
  const { requestId, method, route, status, sentBytes, account, task } = request
  return {
    requestId,
    method,
    route,
    status,
    // Microseconds: what is below says nothing.
    durationMs: Math.round(request.durationMs * 1_000) / 1_000,
    sentBytes,
    ...(account !== undefined && { account }),
    ...(task !== undefined && { task }),
    ...(!request.isComplete && { isComplete: false }),
  }
}
