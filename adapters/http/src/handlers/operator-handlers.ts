/**
 * Handlers without the API, for those who run the service. Methods, refusals and the headers of answers
 * are as the API has them.
 */
import { createErrorLog, type Clock, type Log } from "@safelight/core"
import type { OnAnswered } from "../pipeline/answered-request.ts"
import { showLiveness, showReadiness } from "../endpoints/health.ts"
import { showMetrics } from "../endpoints/metrics-page.ts"
import { createRouter, type HttpHandler } from "../pipeline/router.ts"
import type { MetricsText } from "../pipeline/services.ts"

export interface HealthHandlerOptions {
  /** What /readyz asks; rejects if the service can't be used now. */
  readonly checkReady: () => Promise<void>
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  /** Without it errors are written to the console, and nothing else is. */
  readonly log?: Log
  /** Called for every request once it was answered; must not throw. */
  readonly onAnswered?: OnAnswered
  /** What GET /metrics answers, to anybody and without a key; absent: there is nothing at that path. */
  readonly metrics?: () => Promise<MetricsText>
}

/** Health and metrics, for a process that works on tasks and serves no API. */
export function createHealthHandler(options: HealthHandlerOptions): HttpHandler {
  const { checkReady, clock, log = createErrorLog(globalThis), metrics, onAnswered } = options
  const services = { checkReady, clock, log, metrics }
  const endpoints = [showLiveness, showReadiness, showMetrics]
  return createRouter<typeof services>(endpoints, { services, log, onAnswered })
}

export interface MetricsHandlerOptions extends Pick<HealthHandlerOptions, "clock" | "log"> {
  /** What GET answers, to anybody. */
  readonly metrics: () => Promise<MetricsText>
}

/**
 * `/metrics` and nothing else, for a listener of its own: a proxy in front of the API need not know of
 * the path, and nobody who reaches the API reaches it.
 */
export function createMetricsHandler(options: MetricsHandlerOptions): HttpHandler {
  const { metrics, clock, log = createErrorLog(globalThis) } = options
  const services = { clock, metrics }
  return createRouter<typeof services>([showMetrics], { services, log })
}
