/**
 * `safelight export`: everything but the artifacts' bytes, as one file. `--move` seals the data first, in a
 * commit of its own, so that nothing changes after the export. An interrupted export is made again; the seal
 * stays. `--unseal` undoes it, which is right only if the file was not imported: this command can't know.
 */
import { resolve } from "node:path"
import type { ExportProgress } from "@safelight/audit"
import { SEAL_ID, type Transfer, type Storage } from "@safelight/core"
import { refused } from "../errors/command-error.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  DATA_OPTIONS,
  loadDataConfiguration,
  nameDatabaseSource,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag, optionWithDefault } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"

interface Exported extends ExportProgress {
  readonly path: string
  readonly isSealed: boolean
}

const DEFAULT_FILE = "safelight-export.ndjson"

export const command = defineCommand({
  name: "export",
  description: "write tasks, accounts and keys to a file for `safelight import`",
  options: {
    to: optionWithDefault("<file>", "the file to write, readable by its owner alone", DEFAULT_FILE),
    move: flag("seal the data first, so that nothing can serve or change it"),
    unseal: flag("open sealed data again, if nobody has imported the file", {
      conflictsWith: "move",
    }),
    json: flag('print {"file","is_sealed","tasks","events","unfinished_tasks"}'),
    ...DATA_OPTIONS,
  },
  async run({ options, context }) {
    const { withData } = await import("../data/open-data.ts")
    const configuration = await loadDataConfiguration(options, context)
    const isMoving = options.move === true || options.unseal === true
    if (isMoving && configuration.database !== undefined) {
      throw refused(
        "only a data folder can be sealed, and no database that others may be serving: " +
          `${nameDatabaseSource(options, context)} names one`,
      )
    }
    const purpose = isMoving ? "move" : "read"
    await withData({ configuration, mayCreate: false, purpose }, async (storage) => {
      if (options.unseal === true) return unseal(storage, context)
      const exported = await write(storage, options, context)
      printResult(options, context, toRecord(exported), () => formatExported(exported))
    })
  },
})

async function write(
  storage: Storage,
  { move, to }: { readonly move?: true; readonly to: string },
  context: CommandContext,
): Promise<Exported> {
  const { exportStreams } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const { writeExportFile } = await import("../data/export-file.ts")
  const { requireNoFile } = await import("../data/whole-file.ts")
  const { createProgress } = await import("../command-line/progress.ts")
  const path = resolve(context.folder, to)
  await requireNoFile({ path, option: "--to" })
  const now = Date.now()
  const isSealed = move === true
  if (isSealed) await seal(storage, now)
  const progress = createProgress(context, { isQuiet: true })
  let last: ExportProgress = { streams: 0, events: 0, unfinished: 0 }
  const onProgress = (so: ExportProgress): void => {
    last = so
    if (so.streams % 1_000 === 0) progress.report(`${so.streams} tasks`)
  }
  try {
    await writeExportFile({ path }, exportStreams({ storage, digest, now, isSealed, onProgress }))
  } finally {
    progress.end()
  }
  return { ...last, path, isSealed }
}

/** Sealing again keeps the moment of the first time. */
async function seal(storage: Storage, at: number): Promise<void> {
  const transfers = await storage.listTransfers()
  if (transfers.some(isSeal)) return
  if (transfers.some(({ state }) => state === "importing")) {
    throw refused("an import into this data is not complete: run the same `safelight import` again")
  }
  await storage.setTransfer({ id: SEAL_ID, state: "sealed", at })
}

async function unseal(storage: Storage, context: CommandContext): Promise<void> {
  if (!(await storage.listTransfers()).some(isSeal)) throw refused("this data is not sealed")
  await storage.dropTransfer(SEAL_ID)
  context.printError(
    "whatever was exported must not be imported any more: tasks would run twice, and be paid twice\n",
  )
  context.print("this data can be served again\n")
}

function isSeal({ id }: Transfer): boolean {
  return id === SEAL_ID
}

function toRecord({ path, isSealed, streams, events, unfinished }: Exported): object {
  const counts = { tasks: streams, events, unfinished_tasks: unfinished }
  return { file: path, is_sealed: isSealed, ...counts }
}

function formatExported({ path, isSealed, streams, events, unfinished }: Exported): string {
  const next = isSealed
    ? "this data is sealed; go on where the file is imported"
    : "this data goes on: tasks that are not finished can't be imported elsewhere"
  return [
    path,
    "",
    `${streams} tasks (${unfinished} unfinished), ${events} events`,
    "it holds prompts and the secrets that sign links: keep it to yourself, and remove it afterwards",
    next,
    "",
  ].join("\n")
}
