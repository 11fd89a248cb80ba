/**
 * `safelight tasks events`: what was recorded of a task, event by event, and the words in which
 * providers refused it. Those stand beside the log and are erased with the request; the request itself
 * is not shown.
 */
import type { Input, StoredEvent } from "@safelight/core"
import { Command } from "commander"
import { refused } from "../command-error.ts"
import { toOneLine } from "../failure-line.ts"
import { addDataOptions, loadDataConfiguration, type DataOptions } from "./data-options.ts"
import type { CommandContext } from "./command-context.ts"

interface Options extends DataOptions {
  readonly json?: true
}

interface Found {
  readonly events: readonly StoredEvent[]
  readonly words: readonly ProviderWords[]
}

interface ProviderWords {
  readonly attempt: number
  readonly words: string
}

export function createTasksEventsCommand(context: CommandContext): Command {
  const command = new Command("events")
    .description("show what was recorded of a task, and providers' own words")
    .argument("<id>", "id of the task")
    .option("--json", 'print {"events","provider_words"}')
  return addDataOptions(command).action((id: string, options: Options) => run(id, options, context))
}

async function run(id: string, options: Options, context: CommandContext): Promise<void> {
  const { withData } = await import("../open-data.ts")
  const configuration = await loadDataConfiguration(options, context)
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const found = await withData(request, async (storage) => {
    const [events, { inputs }] = await Promise.all([
      storage.readEvents(id),
      storage.readBelongings(id),
    ])
    return { events, words: toProviderWords(inputs) }
  })
  if (found.events.length === 0) throw refused("there is no task with this id")
  context.print(options.json === true ? toJson(found) : toText(found))
}

/** Named `provider:` and the attempt. */
function toProviderWords(inputs: readonly Omit<Input, "task">[]): readonly ProviderWords[] {
  return inputs.flatMap(({ name, body }) => {
    const attempt = /^provider:(\d+)$/.exec(name)?.[1]
    if (attempt === undefined) return []
    const { words } = JSON.parse(body) as { readonly words: string }
    return [{ attempt: Number(attempt), words }]
  })
}

function toJson({ events, words }: Found): string {
  const records = events.map(({ at, type, version, data }) => ({
    version,
    at,
    type,
    data: JSON.parse(data) as unknown,
  }))
  return `${JSON.stringify({ events: records, provider_words: words })}\n`
}

function toText({ events, words }: Found): string {
  const lines = [
    ...events.map(
      ({ at, type, version, data }) =>
        `${version}  ${new Date(at).toISOString()}  ${type}  ${data}`,
    ),
    ...words.map(({ attempt, words: text }) => `attempt ${attempt}, the provider's words: ${text}`),
  ]
  return lines.map((line) => `${toOneLine(line)}\n`).join("")
}
