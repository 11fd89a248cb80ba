/**
 * One line for each request, at its end, to be found by the request id that the caller has. It names the task
 * that a submission made; every later line of that task has the task's id. A path is logged as its pattern: no
 * line holds what a caller wrote, links with their tokens above all.
 */
import type { Log, LogFields } from "@safelight/core"
import { HEALTH_ROUTES, type AnsweredRequest, type OnAnswered } from "@safelight/http"

export function createRequestLog(log: Log): OnAnswered {
  return (request) => {
    // A failure there is logged by the piece that fails.
    if (HEALTH_ROUTES.has(request.route)) return
    const fields = toFields(request)
    if (request.status === 500) log.error(fields, "request")
    else if (request.status > 500) log.warn(fields, "request")
    else log.info(fields, "request")
  }
}

function toFields(request: AnsweredRequest): LogFields {
  const { requestId, method, route, status, sentBytes, account, keyId, task } = request
  return {
    requestId,
    method,
    route,
    status,
    // Rounded to microseconds: finer digits mean nothing.
    durationMs: Math.round(request.durationMs * 1_000) / 1_000,
    sentBytes,
    ...(account !== undefined && { account }),
    ...(keyId !== undefined && { keyId }),
    ...(task !== undefined && { task }),
    ...(!request.isComplete && { isComplete: false }),
  }
}
