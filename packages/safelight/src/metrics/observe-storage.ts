/**
 * Metrics of the storage: its calls, and what they tell of the engine: the events that were appended, by type,
 * which is how many tasks were submitted, succeeded and failed here, and the channels that it leaves alone. A
 * repeated append counts again.
 */
import type { Append, Storage } from "@safelight/core"
import { Counter } from "prom-client"
import { createLeftAloneGauge } from "./left-alone-gauge.ts"
import { createPortMeter, type MeterOptions } from "./observe-port.ts"

export function createStorageMeter({
  registry,
  clock,
}: MeterOptions): <Kind extends Storage>(storage: Kind) => Kind {
  const observe = createPortMeter({ registry, clock, name: "storage", words: "the database" })
  const showLeftAlone = createLeftAloneGauge(registry)
  const appended = new Counter({
    name: "safelight_events_appended_total",
    help: "Events that this process appended to tasks, by type.",
    labelNames: ["type"],
    registers: [registry],
  })

  function count(append: Append): void {
    for (const { type } of append.events) appended.inc({ type })
  }

  return (storage) => {
    const observed = observe(storage)
    return {
      ...observed,
      append: (append: Append) => observed.append(append).then(() => count(append)),
      admit: (request: Parameters<Storage["admit"]>[0]) =>
        observed.admit(request).then((admission) => {
          if (admission.kind === "admitted") count(request.append)
          return admission
        }),
      heartbeat(request: Parameters<Storage["heartbeat"]>[0]) {
        showLeftAlone(request.facts)
        return observed.heartbeat(request)
      },
    }
  }
}
