/** The audits of a restored backup one after the other, for a command: each reads, and none stops another. */
import {
  auditArtifacts,
  compareCopy,
  createAudit,
  type ArtifactAuditReport,
  type AuditReport,
  type DrillReport,
} from "@safelight/audit"
import {
  ARCHIVE_TASK,
  SILENT_LOG,
  type DatabaseFacts,
  type KeptCheckpoint,
  type Storage,
} from "@safelight/core"
import { readKeptPrices, sha256 as digest, systemClock } from "@safelight/engine"
import { SCHEMA_VERSION } from "@safelight/storage-sqlite"
import { declareChannels } from "../channels/declare-channels.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { createProgress, type Progress } from "../command-line/progress.ts"
import type { Configuration, ReadConfiguration } from "../configuration/configuration.ts"
import { requireArtifactFolder } from "../data/import-source.ts"
import { withData } from "../data/open-data.ts"
import { createArtifacts, toArtifactFolder, type ServedArtifacts } from "../data/open-places.ts"
import { joinOutcomes } from "./audit-outcome.ts"
import type { DrillPlace, DrillPlaces } from "./drill-places.ts"
import type { Reading } from "./reading-options.ts"

export interface DrillRun extends DrillPlaces {
  readonly configuration: Configuration
  readonly reading: Reading
}

export interface DrillResult {
  readonly outcome: AuditReport["outcome"]
  readonly database: DatabaseFacts
  /** The schema that this release works with. */
  readonly knownSchema: number
  /** The newest that the copy has; null if its log is not signed. */
  readonly checkpoint: Pick<KeptCheckpoint, "at" | "size"> | null
  readonly verify: AuditReport
  readonly replay: AuditReport
  readonly copy: DrillReport
  readonly artifacts: DrilledArtifacts
}

export interface DrilledArtifacts extends ArtifactAuditReport {
  /** Files of tasks that the copy does not know. */
  readonly unknownFiles: number
  /** Those of them whose task the original knows; null without an original. */
  readonly lostFiles: number | null
  /** Files that the archive does not know: nothing lacks, since their tasks are in the database. */
  readonly unknownArchiveFiles: number
}

/** Rejects with a `CommandError`, or as the storages do, if something can't be read. */
export async function runDrill(run: DrillRun, context: CommandContext): Promise<DrillResult> {
  const { copy, original } = run
  const progress = createProgress(context, { isQuiet: true })
  const channels = await declareChannels(run.configuration, context.environment)
  try {
    return await inspect(copy, async (storage) => {
      const artifacts = await openArtifacts(copy.configuration)
      const opened = { ...run, storage, artifacts, channels, progress }
      if (original === undefined) return drill({ ...opened, others: undefined })
      return inspect(original, (others) => drill({ ...opened, others }))
    })
  } finally {
    progress.end()
  }
}

function inspect<Result>(
  { configuration, option }: DrillPlace,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  return withData({ configuration, option, mayCreate: false, purpose: "inspect" }, use)
}

/** Nothing is made where they lie. */
async function openArtifacts(configuration: ReadConfiguration): Promise<ServedArtifacts> {
  const folder = toArtifactFolder(configuration)
  if (folder !== undefined) await requireArtifactFolder(folder)
  return createArtifacts({ configuration, log: SILENT_LOG, clock: systemClock })
}

interface Opened extends DrillRun {
  readonly storage: Storage
  /** The original. */
  readonly others: Storage | undefined
  readonly artifacts: ServedArtifacts
  readonly channels: Awaited<ReturnType<typeof declareChannels>>
  readonly progress: Progress
}

async function drill(opened: Opened): Promise<DrillResult> {
  const { channels, configuration, others: original, progress, storage } = opened
  const { models, prices } = configuration
  const book = await readKeptPrices(storage, { models, prices })
  const audit = createAudit({ storage, digest, prices: book, models })
  const tell = (what: string) => (tasks: number) => progress.report(`${what}: ${tasks} tasks`)
  const [ofChains, ofRows] = [tell("chains"), tell("rows")]
  const verify = await audit.verify(({ tasks }) => ofChains(tasks))
  const replay = await audit.replay(({ tasks }) => ofRows(tasks))
  const sides = { copy: storage, original, channels, now: Date.now() }
  const copy = await compareCopy({ ...sides, onProgress: tell("comparison") })
  const artifacts = await drillArtifacts(opened)
  const { at, size } = (await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER })) ?? {}
  const outcomes = [verify.outcome, replay.outcome, copy.outcome, toOutcome(artifacts)]
  return {
    outcome: outcomes.reduce(joinOutcomes),
    database: await storage.describeDatabase(),
    knownSchema: SCHEMA_VERSION,
    checkpoint: at === undefined || size === undefined ? null : { at, size },
    verify,
    replay,
    copy,
    artifacts,
  }
}

async function drillArtifacts(opened: Opened): Promise<DrilledArtifacts> {
  const { artifacts, others, progress, reading, storage } = opened
  const counts = { unknownFiles: 0, unknownArchiveFiles: 0 }
  let [lostFiles, last] = [0, { task: "", isLost: false }]

  async function noteUnknown(task: string): Promise<void> {
    if (task === ARCHIVE_TASK) {
      counts.unknownArchiveFiles += 1
      return
    }
    counts.unknownFiles += 1
    if (task !== last.task) {
      last = { task, isLost: (await others?.readTask(task)) !== undefined }
    }
    if (last.isLost) lostFiles += 1
  }

  const report = await auditArtifacts({
    ...reading,
    storage,
    artifacts,
    now: Date.now(),
    onUnknown: noteUnknown,
    onProgress: ({ artifacts: count }) => progress.report(`artifacts: ${count}`),
  })
  return { ...report, ...counts, lostFiles: others === undefined ? null : lostFiles }
}

/** Segments that were written after the backup are no loss. */
function toOutcome({ findingCount, unknownArchiveFiles }: DrilledArtifacts): "differs" | "whole" {
  return findingCount > unknownArchiveFiles ? "differs" : "whole"
}
