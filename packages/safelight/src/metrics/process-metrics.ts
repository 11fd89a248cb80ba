/**
 * prom-client's metrics of the process: memory, processor, event loop lag, garbage collection. Started once in a
 * process, when they are first needed, since the watch on the event loop can't be stopped.
 */
import { collectDefaultMetrics, Registry } from "prom-client"

let started: Registry | undefined

/** Resolves to their text, in Prometheus's format. */
export type ReadProcessMetrics = () => Promise<string>

export function startProcessMetrics(): ReadProcessMetrics {
  const registry = (started ??= start())
  return async () => {
    const text = await registry.metrics()
    // If nothing was measured between two scrapes, prom-client writes `Nan`, which the format does not have.
    return text.replaceAll(/^.* Nan\n/gm, "")
  }
}

function start(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
