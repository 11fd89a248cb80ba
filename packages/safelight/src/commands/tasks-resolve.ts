/**
 * `safelight tasks resolve`: settles a task whose outcome is unknown, by what an operator learnt from the
 * provider. A running service follows an adopted operation within a second. The task is charged for it, so an
 * operation of another task would be billed to this one.
 */
import type { ResolveRequest, ResolveResult } from "@safelight/core"
import { Command, Option } from "commander"
import { refused, type CommandError } from "../command-error.ts"
import { OPERATION_WORDS, parseOperation } from "../operator/parse-operation.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly adopt?: string
  readonly fail?: true
  readonly json?: true
}

export function createTasksResolveCommand(context: CommandContext): Command {
  const command = new Command("resolve")
    .description("settle a task whose outcome is unknown")
    .argument("<id>", "id of the task")
    .addOption(
      new Option(
        "--adopt <operation>",
        "the channel has it: its operation as JSON, or as plain text",
      ).conflicts("fail"),
    )
    .option("--fail", "there is no operation: the task fails and is not charged")
    .option("--json", 'print {"id","status"}')
  return addDataOptions(command).action((id: string, options: Options) => run(id, options, context))
}

async function run(id: string, options: Options, context: CommandContext): Promise<void> {
  const request = toRequest(id, options)
  const { withData } = await import("../open-data.ts")
  const { toResolution } = await import("../operator/record-changes.ts")
  const { toStatus } = await import("@safelight/core")
  const { resolveTask } = await import("@safelight/engine")
  const configuration = await loadDataConfiguration(options, context)
  const settings = { ...configuration.engine, retentionMs: configuration.retentionMs }
  const result = await withData({ configuration, mayCreate: false }, async (storage, record) => {
    const { task } = (await storage.readTask(id)) ?? {}
    if (task?.state === "doubtful") await record(toResolution(task, request))
    return resolveTask({ storage, settings }, request)
  })
  if (result.kind !== "resolved") throw toRefusal(result)
  const status = toStatus(result.task)
  const words = status === "failed" ? `${id} failed\n` : `${id} goes on\n`
  context.print(options.json === true ? `${JSON.stringify({ id, status })}\n` : words)
}

function toRequest(task: string, { adopt, fail }: Options): ResolveRequest {
  if (adopt !== undefined) {
    const operation = parseOperation(adopt)
    if (operation === undefined) throw refused(`--adopt: ${OPERATION_WORDS}`)
    return { task, adopt: operation }
  }
  if (fail === true) return { task, fail }
  throw refused("expected --adopt with the channel's operation, or --fail")
}

function toRefusal(result: Exclude<ResolveResult, { kind: "resolved" }>): CommandError {
  if (result.kind === "unknown-task") return refused("there is no task with this id")
  return refused(`this task is ${result.state}: only one in doubt (doubtful) can be settled`)
}
