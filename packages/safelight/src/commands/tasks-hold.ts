/** `safelight tasks hold`: keeps the artifacts of a finished task longer, up to what the account may. */
import { defineCommand } from "../command-line/define-command.ts"
import { parseMoment } from "../command-line/moment-option.ts"
import { argument, flag, requiredOption } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatArtifact } from "../text/artifact-text.ts"

export const command = defineCommand({
  name: "tasks hold",
  description: "keep the artifacts of a finished task longer",
  arguments: { id: argument("id of the task", parseName) },
  options: {
    until: requiredOption(
      "<moment>",
      "keep them until then; Unix seconds or ISO, UTC",
      parseMoment,
    ),
    json: flag("print {task_id, artifacts} as the service sends it"),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { id }, options, context }) {
    const artifacts = await toClient(options, context).hold(id, options.until)
    printResult(options, context, { task_id: id, artifacts }, () =>
      artifacts.map((artifact) => `${formatArtifact(artifact)}\n`).join(""),
    )
  },
})
