/**
 * `safelight import`: takes a file of `safelight export` in. The file is proved before anything is
 * written; interrupted, the same command goes on where it was, and until it is through the data
 * can't be served. It works while no service runs on the data.
 */
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import process from "node:process"
import type { ExportManifest, ImportReport } from "@safelight/audit"
import { isSafelightError, SILENT_LOG, type ArtifactStorage, type Storage } from "@safelight/core"
import { Command } from "commander"
import { CommandError } from "../command-error.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { EXIT } from "../exit-code.ts"
import { toOneLine } from "../failure-line.ts"
import { addDataOptions, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly artifactsFrom?: string
  readonly check?: true
  readonly json?: true
}

export function createImportCommand(context: CommandContext): Command {
  const command = new Command("import")
    .description("take in what `safelight export` wrote, once or again")
    .argument("<file>", "the file")
    .option(
      "--artifacts <place>",
      "where to: s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL]",
    )
    .option("--artifacts-from <folder>", "copy artifacts from this folder, and check their digests")
    .option("--check", "prove the file and import nothing")
    .option("--json", "print the report as JSON")
  return addDataOptions(command).action(async (file: string, options: Options) => {
    try {
      await run(file, options, context)
    } catch (error) {
      throw toRefusal(error)
    }
  })
}

async function run(file: string, options: Options, context: CommandContext): Promise<void> {
  const path = resolve(context.folder, file)
  await requireFile(path)
  if (options.check === true) return check(path, options, context)
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { withData } = await import("../open-data.ts")
  const { environment, folder } = context
  const configuration = await loadConfiguration({ flags: options, environment, folder })
  const from =
    options.artifactsFrom === undefined ? undefined : resolve(folder, options.artifactsFrom)
  if (from !== undefined) await requireFolder(from)
  const report = await withData({ configuration, mayCreate: true, purpose: "move" }, (storage) =>
    take({ storage, path, configuration, from }),
  )
  context.print(options.json === true ? toJson(report) : toWords(report))
  if ((report.artifacts?.findingCount ?? 0) > 0) {
    reportFindings(report)
    context.exitWith(EXIT.differs)
  }
}

interface Taking {
  readonly storage: Storage
  readonly path: string
  readonly configuration: Configuration
  /** The folder of the artifacts' bytes. */
  readonly from: string | undefined
}

async function take({ storage, path, configuration, from }: Taking): Promise<ImportReport> {
  const { importStreams } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const { createProgress } = await import("../progress.ts")
  const artifacts = from === undefined ? undefined : await openBoth(from, configuration)
  const progress = await createProgress({ isQuiet: true })
  try {
    return await importStreams({
      storage,
      digest,
      open: () => createReadStream(path),
      now: Date.now(),
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
  configuration: Configuration,
): Promise<{ readonly from: ArtifactStorage; readonly to: ArtifactStorage }> {
  const { createFilesystemArtifacts } = await import("@safelight/artifacts-filesystem")
  const { systemClock } = await import("@safelight/engine")
  const { toMachineFault } = await import("../machine-fault.ts")
  const { openArtifacts } = await import("../open-places.ts")
  const places = { configuration, log: SILENT_LOG, clock: systemClock }
  const to = await openArtifacts(places).catch((error: unknown) => {
    throw toMachineFault(error)
  })
  return { from: createFilesystemArtifacts({ folder: from }), to }
}

async function check(path: string, options: Options, context: CommandContext): Promise<void> {
  const { checkExport } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const manifest = await checkExport({ open: () => createReadStream(path), digest })
  const words = `${toCounts(manifest)}\nit is whole\n`
  context.print(options.json === true ? `${JSON.stringify(manifest)}\n` : words)
}

function toJson({ manifest, isRepeated, artifacts }: ImportReport): string {
  return `${JSON.stringify({ manifest, is_repeated: isRepeated, artifacts })}\n`
}

function toWords({ manifest, isRepeated, artifacts }: ImportReport): string {
  const bytes =
    artifacts === null
      ? "the artifacts' bytes are not part of it: --artifacts-from copies them"
      : `${artifacts.copied} artifacts copied, ${artifacts.present} there before, ${artifacts.findingCount} not copied`
  const outcome = isRepeated ? "it was imported before" : "imported"
  return `${toCounts(manifest)}\n${bytes}\n${outcome}\n`
}

function toCounts(manifest: ExportManifest): string {
  const { streams, unfinished, events, accounts, keys } = manifest
  return `${streams} tasks (${unfinished} unfinished), ${events} events, ${accounts} accounts, ${keys} keys`
}

function reportFindings({ artifacts }: ImportReport): void {
  const { findings = [], findingCount = 0 } = artifacts ?? {}
  const words = {
    missing: "is not in the folder",
    differs: "is not what the log says",
    "foreign-place": "can't be kept under its place",
  }
  const lines = findings.map(({ kind, task, key }) => `${key} of task ${task} ${words[kind]}`)
  const hidden = findingCount - findings.length
  if (hidden > 0) lines.push(`and ${hidden} more`)
  for (const line of lines) process.stderr.write(`${toOneLine(line)}\n`)
}

async function requireFile(path: string): Promise<void> {
  const status = await stat(path).catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException
    throw refused(`${path} can't be read (${code})`, cause)
  })
  if (!status.isFile()) throw refused(`${path} is no file`)
}

/** A mistyped folder would look like one whose artifacts are all gone. */
async function requireFolder(path: string): Promise<void> {
  const status = await stat(join(path, ".incoming")).catch(() => undefined)
  if (status?.isDirectory() === true) return
  throw refused(`${path} is no folder of artifacts, such as data/artifacts`)
}

/** What the file is at fault for is refused; what the machine is, failed. */
function toRefusal(error: unknown): unknown {
  if (!isSafelightError(error) || error.code !== "export-refused") return error
  return refused(error.message, error)
}

function refused(message: string, cause?: unknown): CommandError {
  return new CommandError({ exitCode: EXIT.refused, message, cause })
}
