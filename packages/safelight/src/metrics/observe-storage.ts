/**
 * The storage, observed: its calls as every port's, and what was appended by type of event, which is
 * how many tasks came, succeeded and failed here. An append that is repeated counts again.
 */
import { EVENT_TYPES, type Append, type Clock, type Storage } from "@safelight/core"
import type { Registry } from "prom-client"
import { createPortMeter } from "./observe-port.ts"
import { createCounter } from "./tally.ts"

export interface StorageMeterOptions {
  readonly registry: Registry
  readonly clock: Pick<Clock, "monotonicNow">
}

export function createStorageMeter({
  registry,
  clock,
}: StorageMeterOptions): <Kind extends Storage>(storage: Kind) => Kind {
  const observe = createPortMeter({ registry, clock, name: "storage", words: "the database" })
  const events = createCounter(registry, {
    name: "safelight_events_appended_total",
    help: "Events that this process appended to tasks, by type.",
    labels: ["type"],
  })
  const byType = new Map<string, ReturnType<typeof events.series>>(
    EVENT_TYPES.map((type) => [type, events.series({ type })]),
  )

  function count(append: Append): void {
    for (const { type } of append.events) byType.get(type)?.add(1)
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
