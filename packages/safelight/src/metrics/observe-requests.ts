/**
 * Metrics of HTTP requests, by the pattern of their path and never by the path: labels have few values, and no
 * task, key or token becomes one.
 */
import type { OnAnswered } from "@safelight/http"
import { Counter, Histogram, type Registry } from "prom-client"
import { CALL_BUCKETS } from "./latency-buckets.ts"

export function createRequestMeter(registry: Registry): OnAnswered {
  const durations = new Histogram({
    name: "safelight_http_request_duration_seconds",
    help: "How long requests took; where an artifact's bytes were sent, until they were out.",
    labelNames: ["method", "route", "status"],
    buckets: CALL_BUCKETS,
    registers: [registry],
  })
  const sentBytes = new Counter({
    name: "safelight_http_sent_bytes_total",
    help: "Bytes of answers' bodies.",
    labelNames: ["route"],
    registers: [registry],
  })
  return ({ method, route, status, durationMs, sentBytes: bytes }) => {
    const labels = { method, route, status: `${Math.floor(status / 100)}xx` }
    durations.observe(labels, durationMs / 1_000)
    sentBytes.inc({ route }, bytes)
  }
}
