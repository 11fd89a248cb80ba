/**
 * prom-client's metrics of the process: memory, processor, event loop lag, collections. Started once
 * a process, when they are first wanted, since what watches the event loop can't be ended.
 */
import { collectDefaultMetrics, Registry, type Metric } from "prom-client"

let started: Registry | undefined

export function addProcessMetrics(registry: Registry): void {
  if (started === undefined) {
    started = new Registry()
    collectDefaultMetrics({ register: started })
  }
  for (const metric of started.getMetricsAsArray()) {
    registry.registerMetric(withoutNothings(metric as unknown as Metric))
  }
}

/** Where nothing was measured between two scrapes, prom-client writes `Nan`, which the format does not know. */
function withoutNothings(metric: Metric): Metric {
  const { name } = metric as unknown as { readonly name: string }
  async function get(): Promise<object> {
    const read = await metric.get()
    return { ...read, values: read.values.filter(({ value }) => !Number.isNaN(value)) }
  }
  // What the registry uses of its own classes is their name and `get`.
  return { name, get } as unknown as Metric
}
