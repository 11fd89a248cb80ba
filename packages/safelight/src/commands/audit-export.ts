/**
 * `safelight audit export`: the log as it was signed, for an auditor: events with their leaves, and the prices and models
 * that they name. It holds no keys, no prompts and no labels.
 */
import { Readable } from "node:stream"
import { resolve } from "node:path"
import { createZstdCompress } from "node:zlib"
import type { ExportSelection } from "@safelight/audit"
import { orUntold } from "../audits/audit-outcome.ts"
import { parseAccountName } from "../command-line/account-name.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import {
  DATA_OPTIONS,
  loadDataConfiguration,
  type DataOptions,
} from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { parseMoment } from "../command-line/moment-option.ts"
import { flag, option, optionWithDefault } from "../command-line/parameters.ts"
import { printResult, type JsonOption } from "../command-line/print-result.ts"

interface AuditExportOptions extends DataOptions, JsonOption {
  readonly out: string
  readonly account?: string
  readonly from?: number
  readonly to?: number
  readonly resume?: true
}

export const command = defineCommand({
  name: "audit export",
  description: "write the signed log to a file that `audit check` and check.py prove",
  options: {
    out: optionWithDefault(
      "<file>",
      "the file to write; compressed if its name ends with .zst",
      "log.jsonl",
    ),
    account: option("<name>", "tasks of this account alone", parseAccountName),
    from: option("<moment>", "tasks submitted then or later", parseMoment),
    to: option("<moment>", "tasks submitted before then", parseMoment),
    resume: flag(
      "go on from what an earlier try has left beside the file, under its checkpoint, and leave what can't be finished",
    ),
    json: flag('print {"file","tasks","events","checkpoint_size","resumed_tasks"}'),
    ...DATA_OPTIONS,
  },
  run: ({ options, context }) => orUntold(() => write(options, context)),
})

async function write(options: AuditExportOptions, context: CommandContext): Promise<void> {
  const { exportStreams } = await import("@safelight/audit")
  const { sha256: digest } = await import("@safelight/engine")
  const { withData } = await import("../data/open-data.ts")
  const { findStart } = await import("../audits/export-start.ts")
  const { createLeafReader } = await import("@safelight/proof")
  const { tree } = await import("../proofs/service-proofs.ts")
  const { writeExportFile } = await import("../data/export-file.ts")
  const { takeLeftExport } = await import("../data/left-export.ts")
  const { requireNoFile } = await import("../data/whole-file.ts")
  const configuration = await loadDataConfiguration(options, context)
  const file = resolve(context.folder, options.out)
  const isResumed = options.resume === true
  await requireNoFile({ path: file, option: "--out" })
  const done = { tasks: 0, events: 0 }
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const { checkpoint, resumedTasks } = await withData(request, async (storage) => {
    const left = isResumed ? await takeLeftExport(file) : undefined
    const selection = toSelection(options)
    const start = await findStart(storage, left, selection)
    const { note, size } = start.checkpoint
    const hasProofs = Object.keys(selection).length > 0
    const readLeaves = createLeafReader({ storage, tree, size, hasProofs })
    const signed = { checkpoint: note, readLeaves, ...(hasProofs && { selection }) }
    const lines = exportStreams({
      storage,
      digest,
      now: Date.now(),
      isSealed: false,
      signed,
      ...(start.written && { written: start.written }),
      onProgress({ events, streams }) {
        done.tasks = streams
        done.events = events
      },
    })
    const written = { path: file, option: "--out", leavesPartial: isResumed }
    await writeExportFile(written, file.endsWith(".zst") ? compress(lines) : lines)
    await left?.remove()
    return { checkpoint: start.checkpoint, resumedTasks: start.resumedTasks() }
  })
  const { events, tasks } = done
  const { size } = checkpoint
  const record = { file, ...done, checkpoint_size: size, resumed_tasks: resumedTasks }
  const resumed = resumedTasks > 0 ? `, of which ${resumedTasks} tasks were there` : ""
  const words = `${file}\n\n${tasks} tasks, ${events} events, under a checkpoint of ${size}${resumed}\n`
  printResult(options, context, record, () => words)
}

function compress(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  return Readable.from(lines).compose(createZstdCompress())
}

function toSelection({ account, from, to }: AuditExportOptions): ExportSelection {
  return {
    ...(account !== undefined && { account }),
    ...(from !== undefined && { from: from * 1_000 }),
    ...(to !== undefined && { to: to * 1_000 }),
  }
}
