/** The folder of downloads that `audit check --artifacts` compares with a log. */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import type { DownloadCheck, NamedArtifact } from "@safelight/audit"
import { toFileName } from "../client/artifact-name.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { refused } from "../errors/command-error.ts"
import { toReading, type ReadingOptions } from "./reading-options.ts"

export interface DownloadOptions extends ReadingOptions {
  readonly artifacts?: string | undefined
}

/** Undefined if no folder is given. Rejects with a `CommandError` that names the folder or the option. */
export async function openDownloads(
  options: DownloadOptions,
  context: CommandContext,
): Promise<DownloadCheck | undefined> {
  if (options.artifacts === undefined) {
    const given = (["sample", "seed", "rate"] as const).find((name) => options[name] !== undefined)
    if (given === undefined) return undefined
    throw refused(`--${given} is about the files of --artifacts, which is not there`)
  }
  const reading = toReading(options)
  const folder = resolve(context.folder, options.artifacts)
  await requireFolder(folder)
  const { createDownloadCheck } = await import("@safelight/audit")
  return createDownloadCheck({ ...reading, folder, now: Date.now(), toNames })
}

/** Otherwise a mistyped folder would look like one whose files are all missing. */
async function requireFolder(folder: string): Promise<void> {
  const { unreadable } = await import("../data/import-source.ts")
  const status = await stat(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause)
  })
  if (!status.isDirectory()) throw refused(`${folder} is no folder`)
}

/** As `tasks artifacts --output` names files. */
function toNames({ key, mimeType, task }: NamedArtifact): readonly string[] {
  return [toFileName(task, { key, mime_type: mimeType })]
}
