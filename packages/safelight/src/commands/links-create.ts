/**
 * `safelight links create`: a private link to an artifact: everybody who has it can open the artifact. A link is stored nowhere, so
 * it is shown only here. Making a second one is harmless.
 */
import { defineCommand } from "../command-line/define-command.ts"
import { durationWithin } from "../command-line/option-values.ts"
import { argument, flag, option } from "../command-line/parameters.ts"
import { parseName, SERVICE_OPTIONS, toClient } from "../command-line/service-options.ts"
import { formatOneLine } from "../text/one-line.ts"

/** The longest that a service signs (http-decisions §6). */
const LONGEST_MS = 7 * 86_400_000

export const command = defineCommand({
  name: "links create",
  description: "make a private link to an artifact and show it, once",
  arguments: {
    task: argument("id of the task", parseName),
    artifact: argument("key of the artifact, such as image_1 or video", parseName),
  },
  options: {
    expiresIn: option(
      "<duration>",
      "how long it is valid, up to 7d (default: 24h)",
      durationWithin({ minMs: 1_000, maxMs: LONGEST_MS }),
    ),
    json: flag('print {"url","expires_at"} as the service sends it'),
    ...SERVICE_OPTIONS,
  },
  async run({ arguments: { task, artifact }, options, context }) {
    const { expiresIn } = options
    const client = toClient(options, context)
    const seconds = expiresIn === undefined ? undefined : expiresIn / 1_000
    const link = await client.artifact(task, artifact).link({ expiresInSeconds: seconds })
    if (options.json === true) return context.print(`${JSON.stringify(link)}\n`)
    context.print(`${formatOneLine(link.url)}\n`)
    context.printError(`it opens until ${new Date(link.expires_at * 1_000).toISOString()}\n`)
  },
})
