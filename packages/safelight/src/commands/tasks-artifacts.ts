/** `safelight tasks artifacts`: what a finished task made, listed or downloaded. */
import type { Artifact } from "@safelight/client"
import { downloadArtifacts } from "../client/download-artifacts.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { createProgress } from "../command-line/progress.ts"
import { formatArtifact } from "../text/artifact-text.ts"

type Listed = Artifact & { readonly file?: string }

export const command = defineCommand({
  name: "tasks artifacts",
  description: "list what a finished task made, or download it",
  arguments: { id: argument("id of the task", parseName) },
  options: {
    output: option("<folder>", "download into this folder"),
    json: flag("print {task_id, artifacts}, with --output each with its file"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const client = toClient(options, context)
    const listed = await client.artifacts(id)
    const { output: folder } = options
    const found: readonly Listed[] = folder === undefined ? listed : await download(folder)
    printResult(options, context, { task_id: id, artifacts: found }, () =>
      found.map((artifact) => `${artifact.file ?? formatArtifact(artifact)}\n`).join(""),
    )

    async function download(into: string): Promise<readonly Listed[]> {
      const progress = createProgress(context)
      try {
        const places = { base: context.folder, folder: into }
        const request = { client, task: id, artifacts: listed, progress, ...places }
        return await downloadArtifacts(request)
      } finally {
        progress.end()
      }
    }
  },
})
