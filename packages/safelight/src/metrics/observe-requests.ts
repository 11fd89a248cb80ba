/**
 * HTTP requests by the pattern of their path, never by the path: a label's values stay few, and no
 * task, key or token becomes one.
 */
import type { AnsweredRequest, OnAnswered } from "@safelight/http"
import type { Registry } from "prom-client"
import { CALL_BOUNDS } from "./latency-bounds.ts"
import { createCounter, createHistogram, type HistogramSeries } from "./tally.ts"

export function createRequestMeter(registry: Registry): OnAnswered {
  const durations = createHistogram(registry, {
    name: "safelight_http_request_duration_seconds",
    help: "How long requests took; where an artifact's bytes were sent, until they were out.",
    labels: ["method", "route", "status"],
    bounds: CALL_BOUNDS,
  })
  const sentBytes = createCounter(registry, {
    name: "safelight_http_sent_bytes_total",
    help: "Bytes of answers' bodies.",
    labels: ["route"],
  })

  function createRoute(route: string): (request: AnsweredRequest) => void {
    const sent = sentBytes.series({ route })
    /** By method, then by the first digit of the status. */
    const byMethod = new Map<string, (HistogramSeries | undefined)[]>()
    return ({ method, status, durationMs, sentBytes: bytes }) => {
      const byClass = byMethod.get(method) ?? []
      byMethod.set(method, byClass)
      const digit = Math.floor(status / 100)
      const series = (byClass[digit] ??= durations.series({ method, route, status: `${digit}xx` }))
      series.observe(durationMs / 1_000)
      sent.add(bytes)
    }
  }

  const routes = new Map<string, ReturnType<typeof createRoute>>()
  return (request) => {
    const observe = routes.get(request.route) ?? createRoute(request.route)
    routes.set(request.route, observe)
    observe(request)
  }
}
