/**
 * How a service is watched, by its configuration. Each request is logged and each commit noted in any case, and
 * requests are traced if the process has an SDK. Metrics are counted only if `/metrics` is served, on the API's own
 * listener or on another; otherwise the ports are not wrapped and prom-client is not even loaded.
 */
import type { ArtifactStorage, Channel, Clock, Log, Storage, Tracer } from "@safelight/core"
import type { HttpHandlerOptions, NodeServer, OnAnswered } from "@safelight/http"
import { createTracer } from "@safelight/tracing-opentelemetry"
import type { Configuration } from "../configuration/configuration.ts"
import { createRequestLog } from "../service/request-log.ts"
import { createRecentCommits, type RecentCommits } from "../operator/recent-commits.ts"
import type { Metrics } from "./metrics.ts"
import type { OnCommit } from "./observe-commits.ts"
import type { OnRead } from "./observe-reads.ts"
import type { OnSigningFailure } from "./signing-meter.ts"

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
  /** The log that was given, its warnings and errors counted. */
  readonly log: Log
  /** To be passed to the storage. */
  readonly storage: { readonly onCommit: OnCommit; readonly onRead: OnRead }
  /** The newest commits, with or without metrics. */
  readonly commits: RecentCommits
  /** To be passed to the run that signs the log. */
  readonly onSigningFailure: OnSigningFailure
  /** To be passed to the engine; the handler has it as well. */
  readonly tracer: Tracer
  /** To be passed to the Node server. */
  readonly server: { readonly onAnswered: OnAnswered }
  /** To be passed to the HTTP handler. */
  readonly handler: Pick<HttpHandlerOptions, "metrics"> & {
    readonly onAnswered: OnAnswered
    readonly tracer: Tracer
  }
  /**
   * Starts the listener for /metrics, if the configuration has one. Rejects with `invalid-configuration` if it
   * can't listen.
   */
  listen(): Promise<NodeServer | undefined>
}

export async function createWatching(options: WatchingOptions): Promise<Watching> {
  const { settings, clock, log } = options
  const { metricsHost: host, metricsPort: port } = settings
  const metrics = settings.metrics || port !== undefined ? await loadMetrics(options) : undefined
  const commits = createRecentCommits(clock)
  const tracer = createTracer()
  const logRequest = createRequestLog(log)
  const onAnswered: OnAnswered = (request) => {
    metrics?.onAnswered(request)
    logRequest(request)
  }
  return {
    observeStorage: (storage) => metrics?.observeStorage(storage) ?? storage,
    observeArtifacts: (artifacts) => metrics?.observeArtifacts(artifacts) ?? artifacts,
    observeChannel: (channel) => metrics?.observeChannel(channel) ?? channel,
    log: metrics?.observeLog(log) ?? log,
    storage: {
      onCommit(batch) {
        commits.note(batch)
        metrics?.onCommit(batch)
      },
      onRead: (answerer) => metrics?.onRead(answerer),
    },
    commits,
    onSigningFailure: (failure) => metrics?.onSigningFailure(failure),
    server: { onAnswered },
    tracer,
    handler: {
      onAnswered,
      tracer,
      ...(settings.metrics && metrics && { metrics: metrics.scrape }),
    },
    async listen() {
      if (metrics === undefined || port === undefined) return undefined
      const { serveMetrics } = await import("./metrics-server.ts")
      return serveMetrics({ metrics, clock, log, host, port })
    },
  }
}

async function loadMetrics({ settings, clock, log }: WatchingOptions): Promise<Metrics> {
  const { createMetrics } = await import("./metrics.ts")
  const models = settings.models && { models: settings.models.map(({ id }) => id) }
  return createMetrics({ clock, log, ...models })
}
