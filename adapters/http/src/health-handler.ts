/**
 * A handler that tells how a process is and serves no API: for one that carries tasks out and answers
 * nobody but who watches it.
 */
import { SILENT_LOG } from "@safelight/core"
import { DEFAULTS } from "./defaults.ts"
import { showLiveness, showReadiness } from "./endpoints/health.ts"
import { showMetrics } from "./endpoints/metrics-page.ts"
import type { HttpHandlerOptions } from "./http-handler.ts"
import { createRouter, type HttpHandler } from "./router.ts"

export type HealthHandlerOptions = Required<Pick<HttpHandlerOptions, "checkReady">> &
  Pick<HttpHandlerOptions, "clock" | "log" | "onAnswered" | "metrics">

export function createHealthHandler(options: HealthHandlerOptions): HttpHandler {
  const { checkReady, clock, log = SILENT_LOG, metrics, onAnswered } = options
  const services = { checkReady, clock, log, metrics }
  const { urlCharacters } = DEFAULTS
  return createRouter<typeof services>([showLiveness, showReadiness, showMetrics], {
    services,
    log,
    urlCharacters,
    onAnswered,
    random: Math.random,
  })
}
