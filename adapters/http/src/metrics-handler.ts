/**
 * A handler that serves `/metrics` and nothing else, for a listener of its own: what stands before
 * the API need not know of it, and nobody who reaches the API reaches it. Everything else about it,
 * methods and refusals, is as the API does it.
 */
import { SILENT_LOG, type Clock, type Log } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import { showMetrics } from "./endpoints/metrics-page.ts"
import { createRouter, type HttpHandler } from "./router.ts"
import type { MetricsText } from "./services.ts"

export interface MetricsHandlerOptions {
  /** What GET answers, to anybody. */
  readonly metrics: () => Promise<MetricsText>
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly log?: Log
}

export function createMetricsHandler(options: MetricsHandlerOptions): HttpHandler {
  const { metrics, clock, log = SILENT_LOG } = options
  const services = { clock, metrics }
  return createRouter<typeof services>([showMetrics], {
    services,
    log,
    urlCharacters: DEFAULTS.urlCharacters,
    onAnswered: undefined,
    random: Math.random,
  })
}
