/**
 * The HTTP handler and its server with metrics and the log of requests around them, over a service
 * in memory: every request is counted and logged as `serve` would.
 */
import { createAccess } from "@safelight/access"
import { createHttpHandler, createNodeServer, type AnsweredRequest } from "@safelight/http"
import type { LogFields } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { createMetrics } from "safelight"
import { createRequestLog } from "safelight"
import { createFakeService } from "../../adapters/http/fake-service.ts"
import { createFakeStorage } from "../../adapters/http/fake-storage.ts"
import { parsePrometheusText } from "./prometheus-text.ts"
import { type Logged } from "../in-process-service.ts"

export interface MetricsWorldOptions {
  /** Whether the API's own listener serves /metrics; true by default. */
  readonly servesMetrics?: boolean
  readonly checkReady?: () => Promise<void>
}

export async function createMetricsWorld(options: MetricsWorldOptions = {}) {
  const { servesMetrics = true, ...others } = options
  const clock = createManualClock()
  const metrics = createMetrics({ clock })
  const lines: Logged[] = []
  const log = {
    info: (fields: LogFields, message: string) => lines.push({ level: "info", fields, message }),
    warn: (fields: LogFields, message: string) => lines.push({ level: "warn", fields, message }),
    error: (fields: LogFields, message: string) => lines.push({ level: "error", fields, message }),
  }
  const logRequest = createRequestLog(log)
  const onAnswered = (request: AnsweredRequest): void => {
    metrics.onAnswered(request)
    logRequest(request)
  }
  const fake = createFakeService()
  const { storage, keys, accounts } = createFakeStorage()
  const handler = createHttpHandler({
    service: fake.service,
    access: createAccess({ storage, service: fake.service, clock }),
    clock,
    publicUrl: () => "https://media.example",
    onAnswered,
    ...others,
    ...(servesMetrics && { metrics: metrics.scrape }),
  })
  const server = await createNodeServer({ handler, onAnswered })
  const key = keys.add()

  return {
    url: server.url,
    key,
    fake,
    accounts,
    clock,
    handler,
    metrics,
    /** Lines of requests alone: the handler's own log is another. */
    lines,
    /** With the key of every scope. */
    call: (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
      }),
    async read() {
      return parsePrometheusText((await metrics.scrape()).text)
    },
    async [Symbol.asyncDispose]() {
      await server.close({ graceMs: 0 })
    },
  }
}

export type MetricsWorld = Awaited<ReturnType<typeof createMetricsWorld>>

export const CREATION = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    model: "vendor-a/v4.1/flash/text-to-image",
    parameters: { prompt: "a lighthouse" },
  }),
}
