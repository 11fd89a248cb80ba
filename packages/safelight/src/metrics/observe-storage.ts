/**
 * The storage, observed: its calls as every port's, and the events that were appended, by type, which
 * is how many tasks came, succeeded and failed here. An append that is repeated counts again.
 */
import type { Append, Clock, Storage } from "@safelight/core"
import { Counter, type Registry } from "prom-client"
import { createPortMeter } from "./observe-port.ts"

export interface StorageMeterOptions {
  readonly registry: Registry
  readonly clock: Pick<Clock, "monotonicNow">
}

export function createStorageMeter({
  registry,
  clock,
}: StorageMeterOptions): <Kind extends Storage>(storage: Kind) => Kind {
  const observe = createPortMeter({ registry, clock, name: "storage", words: "the database" })
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
    }
  }
}
