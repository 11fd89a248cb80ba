/** `safelight tasks artifacts`: what a finished task made, listed or downloaded. */
import { Command } from "commander"
import type { Artifact } from "@safelight/client"
import { createProgress } from "../progress.ts"
import { toArtifactLine } from "./artifact-line.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly output?: string
  readonly json?: true
}

type Listed = Artifact & { readonly file?: string }

export function createTasksArtifactsCommand(context: CommandContext): Command {
  const command = new Command("artifacts")
    .description("list what a finished task made, or download it")
    .argument("<id>", "id of the task", parseName)
    .option("--output <folder>", "download into this folder")
    .option("--json", "print {task_id, artifacts}, with --output each with its file")
  return addServiceOptions(command).action((id: string, options: Options) =>
    artifacts(id, options, context),
  )
}

async function artifacts(id: string, options: Options, context: CommandContext): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const client = toClient(options, context)
  const listed = await client.artifacts(id)
  const { output: folder } = options
  const found = folder === undefined ? listed : await download()
  const json = { task_id: id, artifacts: found }
  context.print(options.json === true ? `${JSON.stringify(json)}\n` : toText(found))

  async function download(): Promise<readonly Listed[]> {
    const { downloadArtifacts } = await import("../client/download-artifacts.ts")
    const progress = createProgress(context)
    try {
      const places = { base: context.folder, folder: folder ?? "." }
      const request = { client, task: id, artifacts: listed, progress, ...places }
      return await downloadArtifacts(request)
    } finally {
      progress.end()
    }
  }
}

function toText(found: readonly Listed[]): string {
  return found.map((artifact) => `${artifact.file ?? toArtifactLine(artifact)}\n`).join("")
}
