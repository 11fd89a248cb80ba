/** What a service does by the clock: the sweeps of the engine, of unfinished files and of webhooks. */
import type { Log } from "@safelight/core"
import type { Engine } from "@safelight/engine"
import type { Webhooks } from "@safelight/webhooks"
import type { ServedArtifacts } from "../data/open-places.ts"
import { EACH_MINUTE, EACH_NIGHT, type ScheduledRun } from "./schedules.ts"
import { toWebhookRun } from "./service-webhooks.ts"

/** Each a run of its own: one that takes longer than a minute delays only itself. */
const SWEEP_PARTS = ["overdue", "retention"] as const

export function toScheduledRuns({
  engine,
  artifacts,
  webhooks,
  log,
}: {
  readonly artifacts: Pick<ServedArtifacts, "sweepIncoming">
  readonly log: Log
  readonly engine: Engine
  readonly webhooks: Webhooks
}): readonly ScheduledRun[] {
  return [
    ...SWEEP_PARTS.map((part) => ({
      name: `sweep-${part}`,
      pattern: EACH_MINUTE,
      async run() {
        const report = await engine.sweep(undefined, part)
        if (Object.values(report).some((count) => count > 0)) log.info({ part, ...report }, "sweep")
      },
    })),
    {
      name: "sweep-incoming",
      pattern: EACH_NIGHT,
      async run() {
        const removed = await artifacts.sweepIncoming(await engine.removalClock.now())
        if (removed > 0) log.info({ removed }, "unfinished files removed")
      },
    },
    toWebhookRun({ webhooks, removalClock: engine.removalClock, log }),
  ]
}
