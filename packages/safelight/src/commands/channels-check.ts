/** `safelight channels check`: what is wrong with each channel of a configuration. It buys nothing. */
import type { ChannelCheckReport } from "@safelight/core"
import { CONFIG_OPTION } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"
import { EXIT } from "../errors/exit-code.ts"
import { formatOneLine } from "../text/one-line.ts"

export const command = defineCommand({
  name: "channels check",
  description: "check each channel of a configuration; buys nothing",
  options: { config: CONFIG_OPTION, json: flag("print a list of objects") },
  async run({ options, context }) {
    const { loadConfiguration } = await import("../configuration/load-configuration.ts")
    const { checkChannels } = await import("../channels/check-channels.ts")
    const { environment, folder } = context
    const { config } = options
    const flags = config === undefined ? {} : { config }
    const configuration = await loadConfiguration({ flags, environment, folder })
    const reports = await checkChannels({ configuration, environment })
    printResult(options, context, reports, () => reports.map(formatReport).join(""))
    if (reports.some(({ problems }) => problems.length > 0)) context.exitWith(EXIT.failed)
  },
})

const KEY_WORDS = {
  taken: "it takes the key",
  unproved: "it answers; whether it takes the key was not proved",
  none: "it needs no key",
} as const

function formatReport({ channel, key, notes = [], problems }: ChannelCheckReport): string {
  const isProved = key !== null && key !== "refused"
  const good = isProved ? [KEY_WORDS[key]] : []
  const well = `well: ${good.join("") || "it was not asked, since it has no check"}`
  const lines = problems.length === 0 ? [well] : [...problems, ...good]
  return [...lines, ...notes].map((line) => `${formatOneLine(`${channel}: ${line}`)}\n`).join("")
}
