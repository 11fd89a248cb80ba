/**
 * A request as a span, by OpenTelemetry's conventions for HTTP servers. Nothing in it was chosen freely by the
 * caller: `url.path` and `url.query` are left out, since an address may hold a token.
 */
import { parseTraceparent, type Span, type Tracer } from "@safelight/core"

/** The paths that machines call every few seconds: they are nobody's request. */
export const HEALTH_ROUTES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"])

/**
 * Undefined if nobody records. It belongs to the span of the host, if there is one; else to the one that the
 * caller names, if that is well formed.
 */
export function startRequestSpan(
  tracer: Tracer,
  request: Request,
  { method, route }: { readonly method: string; readonly route: string },
): Span | undefined {
  if (HEALTH_ROUTES.has(route) || !tracer.isRecording()) return undefined
  const parent = tracer.active() === undefined ? findParent(request) : undefined
  const known = method === "other" ? "_OTHER" : method
  return tracer.start({
    name: `${method === "other" ? "HTTP" : method} ${route}`,
    kind: "server",
    attributes: {
      "http.request.method": known,
      "http.route": route,
      "url.scheme": request.url.startsWith("https:") ? "https" : "http",
    },
    ...(parent !== undefined && { parent }),
  })
}

/** Sent twice it is one text with a comma, which is not well formed. */
function findParent({ headers }: Request): string | undefined {
  const traceparent = headers.get("traceparent")
  if (traceparent === null || parseTraceparent(traceparent) === undefined) return undefined
  return traceparent
}

/** What a span says of the answer. */
export interface SpannedAnswer {
  readonly requestId: string
  readonly status: number
  readonly sentBytes: number
  readonly isComplete: boolean
  readonly account: string | undefined
  readonly task: string | undefined
}

export function endRequestSpan(span: Span, answered: SpannedAnswer): void {
  const { account, isComplete, requestId, sentBytes, status, task } = answered
  span.set({
    "http.response.status_code": status,
    "http.response.body.size": sentBytes,
    "safelight.request.id": requestId,
    ...(account !== undefined && { "safelight.account": account }),
    ...(task !== undefined && { "safelight.task.id": task }),
    ...(!isComplete && { "safelight.is_complete": false }),
  })
  // A refusal is the caller's mistake, and no failure of the server.
  if (status >= 500) span.fail(String(status))
  span.end()
}
