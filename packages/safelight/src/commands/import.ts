/**
 * `safelight import`: imports a file of `safelight export`. The file is verified before anything is written. After
 * an interruption the same command continues, and no service starts on the data until it has finished. A
 * folder is locked meanwhile; on PostgreSQL services may run, and imported keys are valid once everything else
 * is there.
 */
import { resolve } from "node:path"
import type { ImportReport } from "@safelight/audit"
import { isSafelightError, SILENT_LOG, type ArtifactStorage, type Storage } from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand, type ValuesOf } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { EXIT } from "../errors/exit-code.ts"
import { formatOneLine } from "../text/one-line.ts"
import { readFile, requireArtifacts, requireFile } from "../data/import-source.ts"
import type { ServedArtifacts } from "../data/open-places.ts"
import { createProgress } from "../command-line/progress.ts"
import {
  formatBrought,
  formatCounts,
  formatFindings,
  formatImport,
  toImportRecord,
} from "../text/import-text.ts"

const OPTIONS = {
  artifacts: option(
    "<place>",
    "where artifacts are kept: s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL]",
  ),
  artifactsFrom: option("<folder>", "copy artifacts from this folder, and check their digests"),
  withKeys: flag("import the file's API keys and link keys although there is data already"),
  check: flag("prove the file and import nothing"),
  json: flag("print the report as JSON"),
  ...DATA_OPTIONS,
}

type Options = ValuesOf<typeof OPTIONS>

export const command = defineCommand({
  name: "import",
  description: "import a file of `safelight export`; may be repeated",
  arguments: { file: argument("the file") },
  options: OPTIONS,
  async run({ arguments: { file }, options, context }) {
    try {
      await importFile(resolve(context.folder, file), options, context)
    } catch (error) {
      throw toRefusal(error)
    }
  },
})

async function importFile(path: string, options: Options, context: CommandContext): Promise<void> {
  await requireFile(path)
  if (options.check === true) return check(path, options, context)
  const { withData } = await import("../data/open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const { artifactsFrom } = options
  const from = artifactsFrom === undefined ? undefined : resolve(context.folder, artifactsFrom)
  if (from !== undefined) await requireArtifacts(from, configuration)
  const report = await withData({ configuration, mayCreate: true, purpose: "move" }, (storage) =>
    take({ storage, path, configuration, from, withKeys: options.withKeys === true, context }),
  )
  printResult(options, context, toImportRecord(report), () => formatImport(report))
  const findings = formatFindings(report)
  for (const line of findings) context.printError(`${formatOneLine(line)}\n`)
  if (findings.length > 0) context.exitWith(EXIT.differs)
}

interface Taking {
  readonly storage: Storage
  readonly path: string
  readonly configuration: ReadConfiguration
  /** The folder that artifacts are copied from. */
  readonly from: string | undefined
  readonly withKeys: boolean
  readonly context: CommandContext
}

async function take({
  storage,
  path,
  configuration,
  from,
  withKeys,
  context,
}: Taking): Promise<ImportReport> {
  const { importStreams } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const artifacts = from === undefined ? undefined : await openBoth(from, configuration)
  if (artifacts !== undefined) await requirePlace(storage, artifacts.to)
  const progress = createProgress(context, { isQuiet: true })
  try {
    return await importStreams({
      storage,
      digest,
      open: () => readFile(path),
      now: Date.now(),
      withKeys,
      ...(artifacts && { artifacts }),
      onProgress({ phase, streams }) {
        if (streams % 1_000 === 0) progress.report(`${phase}, ${streams} tasks`)
      },
    })
  } finally {
    progress.end()
  }
}

async function openBoth(
  from: string,
  configuration: ReadConfiguration,
): Promise<{ readonly from: ArtifactStorage; readonly to: ServedArtifacts }> {
  const { createFilesystemArtifacts } = await import("@safelight/artifacts-filesystem")
  const { systemClock } = await import("@safelight/engine")
  const { toMachineFault } = await import("../errors/machine-fault.ts")
  const { openArtifacts } = await import("../data/open-places.ts")
  const places = { configuration, log: SILENT_LOG, clock: systemClock }
  const to = await openArtifacts(places).catch((error: unknown) => {
    throw toMachineFault(error)
  })
  return { from: createFilesystemArtifacts({ folder: from }), to }
}

/** Rejects if the place for artifacts is not the database's: no service would look for them there. */
async function requirePlace(storage: Storage, artifacts: ArtifactStorage): Promise<void> {
  const { systemClock } = await import("@safelight/engine")
  const { requireOwnData } = await import("../data/require-own-data.ts")
  const log = SILENT_LOG
  await requireOwnData({ storage, artifacts, adopt: false, clock: systemClock, log })
}

async function check(path: string, options: Options, context: CommandContext): Promise<void> {
  const { checkExport } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const manifest = await checkExport({ open: () => readFile(path), digest, now: Date.now() })
  const words = `${formatCounts(manifest)}\n${formatBrought(manifest)}it is whole\n`
  printResult(options, context, manifest, () => words)
}

/** A fault of the file is refused (2); one of the machine has failed (1). */
function toRefusal(error: unknown): unknown {
  if (!isSafelightError(error) || error.code !== "export-refused") return error
  return refused(error.message, error)
}
