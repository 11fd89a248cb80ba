/**
 * prom-client's metrics of the process: memory, processor, event loop lag, garbage collection. Started once in a
 * process, when they are first needed, since the watch on the event loop can't be stopped.
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

/** If nothing was measured between two scrapes, prom-client writes `Nan`, which the format does not have. */
function withoutNothings(metric: Metric): Metric {
  const { name } = metric as unknown as { readonly name: string }
  async function get(): Promise<object> {
    const read = await metric.get()
    return { ...read, values: read.values.filter(({ value }) => !Number.isNaN(value)) }
  }
  // The registry uses only `name` and `get` of its metrics.
  return { name, get } as unknown as Metric
}
