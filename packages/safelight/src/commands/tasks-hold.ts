/** `safelight tasks hold`: keeps the artifacts of a finished task longer, up to what the account may. */
import { Command } from "commander"
import { toArtifactLine } from "./artifact-line.ts"
import { parseMoment } from "./moment-option.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly until: number
  readonly json?: true
}

export function createTasksHoldCommand(context: CommandContext): Command {
  const command = new Command("hold")
    .description("keep the artifacts of a finished task longer")
    .argument("<id>", "id of the task", parseName)
    .requiredOption(
      "--until <moment>",
      "keep them until then; Unix seconds or ISO, UTC",
      parseMoment,
    )
    .option("--json", "print {task_id, artifacts} as the service sends it")
  return addServiceOptions(command).action((id: string, options: Options) =>
    hold(id, options, context),
  )
}

async function hold(id: string, options: Options, context: CommandContext): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const artifacts = await toClient(options, context).hold(id, options.until)
  if (options.json === true) {
    return context.print(`${JSON.stringify({ task_id: id, artifacts })}\n`)
  }
  context.print(artifacts.map((artifact) => `${toArtifactLine(artifact)}\n`).join(""))
}
