/**
 * The metrics of a service, for Prometheus. Every port is wrapped from outside, so no piece knows of metrics; a
 * piece that is not wrapped here is not measured. prom-client hashes a metric's labels at each observation, even
 * for a child of `labels()`: about 1 µs for a histogram.
 */
import {
  MODELS,
  SILENT_LOG,
  type ArtifactStorage,
  type Channel,
  type Clock,
  type Log,
  type Storage,
} from "@safelight/core"
import type { MetricsText, OnAnswered } from "@safelight/http"
import { Registry } from "prom-client"
import { createArtifactsMeter } from "./observe-artifacts.ts"
import { createChannelMeter } from "./observe-channel.ts"
import { createCommitMeter, type OnCommit } from "./observe-commits.ts"
import { createLogMeter } from "./observe-log.ts"
import { createReadMeter, type OnRead } from "./observe-reads.ts"
import { createRequestMeter } from "./observe-requests.ts"
import { createStorageMeter } from "./observe-storage.ts"
import { startProcessMetrics } from "./process-metrics.ts"
import { createQueueGauges, KEPT_MS, PATIENCE_MS, SHOWN_MS } from "./queue-gauges.ts"
import { createSigningMeter, type OnSigningFailure } from "./signing-meter.ts"

export interface MetricsOptions {
  readonly clock: Clock
  readonly log?: Log
  /** Ids of the models whose queues are shown even while they are empty; by default core's. */
  readonly models?: readonly string[]
}

export interface Metrics {
  /** The same storage, its calls counted; its queue and its signed log are measured at each scrape. */
  observeStorage<Kind extends Storage>(storage: Kind): Kind
  observeArtifacts<Kind extends ArtifactStorage>(artifacts: Kind): Kind
  observeChannel(channel: Channel): Channel
  observeLog(log: Log): Log
  /** For the HTTP handler and its server. */
  readonly onAnswered: OnAnswered
  /** For a storage that commits groups. */
  readonly onCommit: OnCommit
  /** For a storage that reads from a standby. */
  readonly onRead: OnRead
  /** For the run that signs the log. */
  readonly onSigningFailure: OnSigningFailure
  /**
   * The current text, within a few seconds even if the database does not answer. Concurrent callers share it.
   */
  readonly scrape: () => Promise<MetricsText>
}

export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, log = SILENT_LOG, models = MODELS.map(({ id }) => id) } = options
  const registry = new Registry()
  const queue = createQueueGauges({ registry, clock, log, models })
  const bounds = { keptMs: KEPT_MS, patienceMs: PATIENCE_MS, shownMs: SHOWN_MS }
  const signing = createSigningMeter({ registry, clock, log, ...bounds })
  const observeStorage = createStorageMeter({ registry, clock })
  const onAnswered = createRequestMeter(registry)
  const observeChannel = createChannelMeter({ registry, clock })
  const onCommit = createCommitMeter(registry)
  const observeArtifacts = createArtifactsMeter({ registry, clock })
  const observeLog = createLogMeter(registry)
  const readProcessMetrics = startProcessMetrics()
  let scraping: Promise<MetricsText> | undefined

  async function read(): Promise<MetricsText> {
    try {
      await Promise.all([queue.refresh(), signing.refresh()])
      const texts = await Promise.all([registry.metrics(), readProcessMetrics()])
      return { contentType: registry.contentType, text: texts.join("") }
    } finally {
      scraping = undefined
    }
  }

  return {
    observeStorage(storage) {
      const observed = observeStorage(storage)
      queue.watch(observed)
      signing.watch(observed)
      return observed
    },
    observeArtifacts,
    observeChannel,
    observeLog,
    onAnswered,
    onCommit,
    onRead: createReadMeter(registry),
    onSigningFailure: signing.onFailure,
    scrape: () => (scraping ??= read()),
  }
}
