/**
 * A listener for `/metrics` alone. It listens on loopback by default: it asks for no key, and its numbers tell a
 * stranger how busy the service is.
 */
import type { Clock, Log } from "@safelight/core"
import { createMetricsHandler, createNodeServer, type NodeServer } from "@safelight/http"
import type { Metrics } from "./metrics.ts"

export interface MetricsServerOptions {
  readonly metrics: Pick<Metrics, "scrape">
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly log: Log
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/** Resolves once it listens. Rejects with `invalid-configuration` if it can't. */
export function serveMetrics(options: MetricsServerOptions): Promise<NodeServer> {
  const { metrics, clock, log, host, port } = options
  const handler = createMetricsHandler({ metrics: metrics.scrape, clock, log })
  return createNodeServer({ handler, host, port, log })
}
