/**
 * `safelight tasks submit`: submits a task and, if an option says so, waits for its end and downloads its
 * artifacts. However often the request is sent, its Idempotency-Key makes one task of it. Standard output gets
 * the result alone: the task's id, the paths of the files, or JSON.
 */
import { jsonText, type Artifact, type Client, type Task } from "@safelight/client"
import { Command, InvalidArgumentError } from "commander"
import { EXIT } from "../exit-code.ts"
import { createProgress, type Progress } from "../progress.ts"
import { collectLabel, toLabels, type LabelTexts } from "./label-option.ts"
import { parseCount } from "./option-values.ts"
import { addServiceOptions, type ServiceOptions } from "./service-options.ts"
import { toFailureLine } from "./task-line.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly model: string
  readonly parameters: string
  readonly idempotencyKey?: string
  readonly maxCostMicros?: number
  readonly quote?: string
  readonly label?: LabelTexts
  readonly wait?: true
  readonly output?: string
  readonly json?: true
}

export function createTasksSubmitCommand(context: CommandContext): Command {
  const command = new Command("submit")
    .description("submit a task")
    .requiredOption("--model <id>", "public id of the model")
    .requiredOption("--parameters <json>", "JSON, @file.json, or - for standard input")
    .option(
      "--idempotency-key <key>",
      "key of an earlier submission whose outcome is unknown (default: a new key)",
      parseIdempotencyKey,
    )
    .option("--max-cost-micros <count>", "refuse a task that could cost more", parseCount)
    .option("--quote <quote>", "charge by the prices of this quote, or refuse the task", parseQuote)
    .option(
      "--label <key=value>",
      "label, to find it and add up costs by; repeatable",
      collectLabel,
    )
    .option("--wait", "wait until it has succeeded or failed")
    .option("--output <folder>", "download what it made into this folder; waits for it")
    .option("--json", "print the task as JSON; with --wait its artifacts are a member")
  return addServiceOptions(command).action((options: Options) => submit(options, context))
}

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

async function submit(options: Options, context: CommandContext): Promise<void> {
  const { readParameters } = await import("../client/parameters-argument.ts")
  const { toClient } = await import("./service-options.ts")
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
    progress.end(toFailureLine(ended))
    context.exitWith(EXIT.failed)
    return report(ended, [], options, context)
  }
  const artifacts = await client.artifacts(task.task_id)
  const folder = options.output
  if (folder === undefined) {
    progress.end("succeeded")
    return report(ended, artifacts, options, context)
  }
  const { downloadArtifacts } = await import("../client/download-artifacts.ts")
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
