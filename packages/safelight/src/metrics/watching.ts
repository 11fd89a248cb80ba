/**
 * How a service is watched, as its configuration has it: each request is logged in any case, and the
 * rest is counted only where somebody may read it, on the API's own listener or on another. Where
 * nobody may, the pieces stay as they are and prom-client is not even loaded.
 */
import type { ArtifactStorage, Channel, Clock, Log, Storage } from "@safelight/core"
import type { HttpHandlerOptions, NodeServer, OnAnswered } from "@safelight/http"
import type { Configuration } from "../configuration/configuration.ts"
import { createRequestLog } from "../request-log.ts"
import type { Metrics } from "./metrics.ts"
import type { OnCommit } from "./observe-commits.ts"

export type WatchingSettings = Pick<Configuration, "metrics" | "metricsHost" | "metricsPort"> &
  Partial<Pick<Configuration, "models">>

export interface WatchingOptions {
  readonly settings: WatchingSettings
  readonly clock: Clock
  readonly log: Log
}

export interface Watching {
  observeStorage<Kind extends Storage>(storage: Kind): Kind
  observeArtifacts<Kind extends ArtifactStorage>(artifacts: Kind): Kind
  observeChannel(channel: Channel): Channel
  /** Options of a storage. */
  readonly storage: { readonly onCommit?: OnCommit }
  /** Options of the Node server. */
  readonly server: { readonly onAnswered: OnAnswered }
  /** Options of the HTTP handler. */
  readonly handler: Pick<HttpHandlerOptions, "metrics"> & { readonly onAnswered: OnAnswered }
  /** Starts the listener for /metrics, where there is to be one. Rejects with `invalid-configuration` where it can't listen. */
  listen(): Promise<NodeServer | undefined>
}

export async function createWatching(options: WatchingOptions): Promise<Watching> {
  const { settings, log } = options
  const logRequest = createRequestLog(log)
  if (!settings.metrics && settings.metricsPort === undefined) return createUncounted(logRequest)
  const { createMetrics } = await import("./metrics.ts")
  const models = settings.models && { models: settings.models.map(({ id }) => id) }
  return createCounted(createMetrics({ ...options, ...models }), logRequest, options)
}

function createUncounted(onAnswered: OnAnswered): Watching {
  return {
    observeStorage: (storage) => storage,
    observeArtifacts: (artifacts) => artifacts,
    observeChannel: (channel) => channel,
    storage: {},
    server: { onAnswered },
    handler: { onAnswered },
    listen: async () => undefined,
  }
}

function createCounted(
  metrics: Metrics,
  logRequest: OnAnswered,
  { settings, clock, log }: WatchingOptions,
): Watching {
  const { metricsHost: host, metricsPort: port } = settings
  const onAnswered: OnAnswered = (request) => {
    metrics.onAnswered(request)
    logRequest(request)
  }
  return {
    observeStorage: (storage) => metrics.observeStorage(storage),
    observeArtifacts: (artifacts) => metrics.observeArtifacts(artifacts),
    observeChannel: (channel) => metrics.observeChannel(channel),
    storage: { onCommit: metrics.onCommit },
    server: { onAnswered },
    handler: { onAnswered, ...(settings.metrics && { metrics: metrics.scrape }) },
    async listen() {
      if (port === undefined) return undefined
      const { serveMetrics } = await import("./metrics-server.ts")
      return serveMetrics({ metrics, clock, log, host, port })
    },
  }
}
