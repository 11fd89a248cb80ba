/**
 * `safelight tasks submit`: submits a task and, if an option says so, waits for its end and downloads its
 * artifacts. However often the request is sent, its Idempotency-Key makes one task of it. Standard output gets
 * the result alone: the task's id, the paths of the files, or JSON.
 */
import { jsonText, type Artifact, type Client, type Task } from "@safelight/client"
import { InvalidArgumentError } from "commander"
import { downloadArtifacts } from "../client/download-artifacts.ts"
import { readParameters } from "../client/parameters-argument.ts"
import type { CommandContext } from "../command-line/command-context.ts"
import { defineCommand, type ValuesOf } from "../command-line/define-command.ts"
import { collectLabel, toLabels } from "../command-line/label-option.ts"
import { parseCount } from "../command-line/option-values.ts"
import { flag, option, requiredOption } from "../command-line/parameters.ts"
import { SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { EXIT } from "../errors/exit-code.ts"
import { createProgress, type Progress } from "../command-line/progress.ts"
import { formatTaskFailure } from "../text/task-text.ts"

const OPTIONS = {
  model: requiredOption("<id>", "public id of the model"),
  parameters: requiredOption("<json>", "JSON, @file.json, or - for standard input"),
  idempotencyKey: option(
    "<key>",
    "key of an earlier submission whose outcome is unknown (default: a new key)",
    parseIdempotencyKey,
  ),
  maxCostMicros: option("<count>", "refuse a task that could cost more", parseCount),
  quote: option("<quote>", "charge by the prices of this quote, or refuse the task", parseQuote),
  label: option("<key=value>", "label, to find it and add up costs by; repeatable", collectLabel),
  wait: flag("wait until it has succeeded or failed"),
  output: option("<folder>", "download what it made into this folder; waits for it"),
  json: flag("print the task as JSON; with --wait its artifacts are a member"),
  ...SERVICE_OPTIONS,
}

type Options = ValuesOf<typeof OPTIONS>

export const command = defineCommand({
  name: "tasks submit",
  description: "submit a task",
  options: OPTIONS,
  async run({ options, context }) {
    const client = toClient(options, context)
    const parameters = await readParameters(options.parameters, context, "--parameters")
    const { idempotencyKey, maxCostMicros, model, quote } = options
    const labels = toLabels(options.label)
    const more = { idempotencyKey, labels, maxCostMicros, quote }
    const task = await client.submit(model, jsonText(parameters), more)
    const isWaiting = options.wait === true || options.output !== undefined
    if (!isWaiting) return report(task, undefined, options, context)
    const progress = createProgress(context)
    try {
      await finish(task, client, progress, options, context)
    } finally {
      progress.end()
    }
  },
})

/** Throws commander's error for a key that the API would refuse. */
function parseIdempotencyKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text
  throw new InvalidArgumentError("expected 1 to 255 printable ASCII characters without blanks.")
}

/** Throws commander's error for what can't be a header. */
function parseQuote(text: string): string {
  if (/^[!-~]+$/.test(text)) return text
  throw new InvalidArgumentError("expected what `safelight quote` printed.")
}

async function finish(
  task: Task,
  client: Client,
  progress: Progress,
  options: Options,
  context: CommandContext,
): Promise<void> {
  progress.report(`task ${task.task_id}`)
  const ended = await client.wait(task, {
    onProgress: ({ status, progress: percent }) => progress.report(status, percent),
  })
  if (ended.status === "failed") {
    progress.end(formatTaskFailure(ended))
    context.exitWith(EXIT.failed)
    return report(ended, [], options, context)
  }
  const artifacts = await client.artifacts(task.task_id)
  const folder = options.output
  if (folder === undefined) {
    progress.end("succeeded")
    return report(ended, artifacts, options, context)
  }
  const { folder: base } = context
  const request = { client, task: task.task_id, artifacts, base, folder, progress }
  const saved = await downloadArtifacts(request)
  progress.end("succeeded and downloaded")
  report(ended, saved, options, context)
}

function report(
  task: Task,
  artifacts: readonly (Artifact & { readonly file?: string })[] | undefined,
  { json, output }: Options,
  context: CommandContext,
): void {
  if (json === true) return context.print(`${JSON.stringify({ ...task, artifacts })}\n`)
  const files = output === undefined ? [] : (artifacts ?? []).map(({ file }) => file)
  const lines = files.length === 0 ? [task.task_id] : files
  context.print(`${lines.join("\n")}\n`)
}
