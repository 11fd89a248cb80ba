/**
 * `safelight links create`: a private link to an artifact, for whoever is given it. A link is stored nowhere, so
 * it is shown only here. Making a second one is harmless.
 */
import { Command } from "commander"
import { toOneLine } from "../failure-line.ts"
import { durationWithin } from "./option-values.ts"
import { addServiceOptions, parseName, type ServiceOptions } from "./service-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends ServiceOptions {
  readonly expiresIn?: number
  readonly json?: true
}

/** The longest that a service signs (http-decisions §6). */
const LONGEST_MS = 7 * 86_400_000

export function createLinksCreateCommand(context: CommandContext): Command {
  const toTerm = durationWithin({ minMs: 1_000, maxMs: LONGEST_MS })
  const command = new Command("create")
    .description("make a private link to an artifact and show it, once")
    .argument("<task>", "id of the task", parseName)
    .argument("<artifact>", "key of the artifact, such as image_1 or video", parseName)
    .option("--expires-in <duration>", "how long it is valid, up to 7d (default: 24h)", toTerm)
    .option("--json", 'print {"url","expires_at"} as the service sends it')
  return addServiceOptions(command).action((task: string, artifact: string, options: Options) =>
    create(task, artifact, options, context),
  )
}

async function create(
  task: string,
  artifact: string,
  options: Options,
  context: CommandContext,
): Promise<void> {
  const { toClient } = await import("./service-options.ts")
  const { expiresIn } = options
  const client = toClient(options, context)
  const seconds = expiresIn === undefined ? undefined : expiresIn / 1_000
  const link = await client.artifact(task, artifact).link({ expiresInSeconds: seconds })
  if (options.json === true) return context.print(`${JSON.stringify(link)}\n`)
  context.print(`${toOneLine(link.url)}\n`)
  context.printError(`it opens until ${new Date(link.expires_at * 1_000).toISOString()}\n`)
}
