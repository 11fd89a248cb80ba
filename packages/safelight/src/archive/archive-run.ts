/** The run that moves finished tasks to the archive, each night. */
import type { Log, Storage } from "@safelight/core"
import type { Engine } from "@safelight/engine"
import type { Configuration } from "../configuration/configuration.ts"
import type { ServedArtifacts } from "../data/open-places.ts"
import { EACH_NIGHT, type ScheduledRun } from "../service/schedules.ts"
import { archiveNow } from "./archive-now.ts"

export interface ArchiveRunOptions {
  readonly configuration: Configuration
  readonly storage: Storage
  readonly artifacts: Pick<ServedArtifacts, "open" | "put">
  readonly engine: Pick<Engine, "removalClock">
  readonly log: Log
}

const ADVICE =
  "only what was signed is archived: `safelight audit keys create` makes a key, SAFELIGHT_SIGNING_KEY_FILE names it"

/** None if tasks stay in the database. */
export function toArchiveRuns({
  artifacts,
  configuration,
  engine,
  log,
  storage,
}: ArchiveRunOptions): readonly ScheduledRun[] {
  const { afterMs } = configuration.archive
  if (afterMs === undefined) return []
  return [
    {
      name: "archive",
      pattern: EACH_NIGHT,
      async run() {
        const now = await engine.removalClock.now()
        const report = await archiveNow({ storage, artifacts, now, afterMs })
        if (report === undefined) {
          // The first checkpoint of a log that is signed comes within a minute.
          const isSigned = configuration.checkpoints.signingKey !== undefined
          if (!isSigned) log.warn({ advice: ADVICE }, "archive waits")
          return
        }
        const { bundles, left, segments, tasks } = report
        if (segments + bundles + left > 0) {
          log.info({ segments, tasks, bundles, left }, "tasks archived")
        }
      },
    },
  ]
}
