/**
 * What a service tells Prometheus of itself. Everything is watched from outside, port by port, so
 * that no piece knows of it; a piece that is not wrapped here is just not seen. prom-client hashes a
 * metric's labels at each observation, by a child of `labels()` too: about 1 µs for a histogram.
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
import { createRequestMeter } from "./observe-requests.ts"
import { createStorageMeter } from "./observe-storage.ts"
import { addProcessMetrics } from "./process-metrics.ts"
import { createQueueGauges } from "./queue-gauges.ts"

export interface MetricsOptions {
  readonly clock: Clock
  readonly log?: Log
  /** Ids of the models whose queues are shown while they are empty too; by default core's. */
  readonly models?: readonly string[]
}

export interface Metrics {
  /** The same storage, its calls counted; its queue is measured at each scrape. */
  observeStorage<Kind extends Storage>(storage: Kind): Kind
  observeArtifacts<Kind extends ArtifactStorage>(artifacts: Kind): Kind
  observeChannel(channel: Channel): Channel
  /** For the HTTP handler and its server. */
  readonly onAnswered: OnAnswered
  /** For a storage that commits groups. */
  readonly onCommit: OnCommit
  /** The text as it is now; answers within a few seconds, also where the database does not. Those who ask at once get the same. */
  readonly scrape: () => Promise<MetricsText>
}

export function createMetrics(options: MetricsOptions): Metrics {
  const { clock, log = SILENT_LOG, models = MODELS.map(({ id }) => id) } = options
  const registry = new Registry()
  const queue = createQueueGauges({ registry, clock, log, models })
  const observeStorage = createStorageMeter({ registry, clock })
  const onAnswered = createRequestMeter(registry)
  const observeChannel = createChannelMeter({ registry, clock })
  const onCommit = createCommitMeter(registry)
  const observeArtifacts = createArtifactsMeter({ registry, clock })
  addProcessMetrics(registry)
  let scraping: Promise<MetricsText> | undefined

  async function read(): Promise<MetricsText> {
    try {
      await queue.refresh()
      return { contentType: registry.contentType, text: await registry.metrics() }
    } finally {
      scraping = undefined
    }
  }

  return {
    observeStorage(storage) {
      const observed = observeStorage(storage)
      queue.watch(observed)
      return observed
    },
    observeArtifacts,
    observeChannel,
    onAnswered,
    onCommit,
    scrape: () => (scraping ??= read()),
  }
}
