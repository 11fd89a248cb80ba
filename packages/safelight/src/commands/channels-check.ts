/** `safelight channels check`: what is wrong with each channel of a configuration. It buys nothing. */
import type { ChannelCheckReport } from "@safelight/core"
import { Command } from "commander"
import { EXIT } from "../exit-code.ts"
import { toOneLine } from "../failure-line.ts"
import type { CommandContext } from "./command-context.ts"

interface Options {
  readonly config?: string
  readonly json?: true
}

export function createChannelsCheckCommand(context: CommandContext): Command {
  return new Command("check")
    .description("check each channel of a configuration; buys nothing")
    .option(
      "--config <file>",
      "configuration file [SAFELIGHT_CONFIG] (default: safelight.config.json)",
    )
    .option("--json", "print a list of objects")
    .action((options: Options) => check(options, context))
}

async function check({ config, json }: Options, context: CommandContext): Promise<void> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { checkChannels } = await import("../channels/check-channels.ts")
  const { environment, folder } = context
  const flags = config === undefined ? {} : { config }
  const configuration = await loadConfiguration({ flags, environment, folder })
  const reports = await checkChannels({ configuration, environment })
  context.print(json === true ? `${JSON.stringify(reports)}\n` : reports.map(toText).join(""))
  if (reports.some(({ problems }) => problems.length > 0)) context.exitWith(EXIT.failed)
}

const KEY_WORDS = {
  taken: "it takes the key",
  unproved: "it answers; whether it takes the key was not proved",
  none: "it needs no key",
} as const

function toText({ channel, key, notes = [], problems }: ChannelCheckReport): string {
  const isProved = key !== null && key !== "refused"
  const good = isProved ? [KEY_WORDS[key]] : []
  const well = `well: ${good.join("") || "it was not asked, since it has no check"}`
  const lines = problems.length === 0 ? [well] : [...problems, ...good]
  return [...lines, ...notes].map((line) => `${toOneLine(`${channel}: ${line}`)}\n`).join("")
}
