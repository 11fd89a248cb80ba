/**
 * Histograms and counters for hot paths, which the registry reads like its own: a series is asked
 * for once and then only adds numbers, where prom-client's own checks and hashes its labels at each
 * observation (about 3 µs against 0.05). A series that saw nothing is left out of the text.
 */
import type { Metric, Registry } from "prom-client"

export interface Described<Label extends string> {
  /** By Prometheus' conventions: base units, `_total` for a counter. */
  readonly name: string
  readonly help: string
  readonly labels: readonly Label[]
}

/** Its values must be few in number and no secret: whoever asks for a series answers for that. */
export type Labels<Label extends string> = Readonly<Record<Label, string>>

export interface Counter<Label extends string> {
  /** A new series; to be asked for once for the same labels. */
  series(labels: Labels<Label>): CounterSeries
}

export interface CounterSeries {
  add(count: number): void
}

export interface Histogram<Label extends string> {
  /** A new series; to be asked for once for the same labels. */
  series(labels: Labels<Label>): HistogramSeries
}

export interface HistogramSeries {
  observe(value: number): void
}

/** A line of the text: what prom-client formats. */
interface Sample {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export function createCounter<Label extends string>(
  registry: Registry,
  described: Described<Label>,
): Counter<Label> {
  const all: { readonly labels: Labels<Label>; sum: number }[] = []
  register(registry, described, "counter", () =>
    all.filter(({ sum }) => sum > 0).map(({ labels, sum }) => ({ labels, value: sum })),
  )
  return {
    series(labels) {
      const counted = { labels, sum: 0 }
      all.push(counted)
      return {
        add: (count) => {
          counted.sum += count
        },
      }
    },
  }
}

export function createHistogram<Label extends string>(
  registry: Registry,
  described: Described<Label> & { /** Rising. */ readonly bounds: readonly number[] },
): Histogram<Label> {
  const { name, bounds } = described
  const all: Observed[] = []
  register(registry, described, "histogram", () =>
    all.filter(({ count }) => count > 0).flatMap((each) => toSamples(name, bounds, each)),
  )
  return {
    series(labels) {
      const observed = { labels, counts: bounds.map(() => 0), count: 0, sum: 0 }
      all.push(observed)
      return {
        observe: (value) => {
          observed.count += 1
          observed.sum += value
          let at = 0
          while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
          if (at < bounds.length) observed.counts[at] = (observed.counts[at] ?? 0) + 1
        },
      }
    },
  }
}

interface Observed {
  readonly labels: Readonly<Record<string, string>>
  /** By bucket, each by itself. */
  readonly counts: number[]
  count: number
  sum: number
}

function toSamples(name: string, bounds: readonly number[], observed: Observed): Sample[] {
  const { labels, counts, count, sum } = observed
  let upTo = 0
  const buckets = bounds.map((bound, at) => {
    upTo += counts[at] ?? 0
    return { metricName: `${name}_bucket`, labels: { le: String(bound), ...labels }, value: upTo }
  })
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

function register<Label extends string>(
  registry: Registry,
  { name, help }: Described<Label>,
  type: "counter" | "histogram",
  read: () => readonly Sample[],
): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, values: read() }) }
  // What the registry uses of its own classes is their name and `get`.
  registry.registerMetric(metric as unknown as Metric)
}
