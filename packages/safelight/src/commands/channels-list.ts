/**
 * `safelight channels list`: the channels, whether an operator paused them, and what the tasks of all nodes say
 * of them. No provider is asked, and no file that defines a model is run.
 */
import { MODELS } from "@safelight/core"
import { formatChannels, toChannelRecord } from "../channels/channel-report.ts"
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"
import { flag } from "../command-line/parameters.ts"
import { printResult } from "../command-line/print-result.ts"

export const command = defineCommand({
  name: "channels list",
  description: "list the channels with their tasks in flight and the outcomes of the last day",
  options: {
    json: flag("print a list of objects, moments in Unix seconds"),
    ...DATA_OPTIONS,
  },
  async run({ options, context }) {
    const { withOperator } = await import("../operator/with-operator.ts")
    const configuration = await loadDataConfiguration(options, context)
    const models = configuration.modelFiles.length === 0 ? { models: MODELS } : {}
    const { environment } = context
    const request = { configuration, environment, ...models, mayCreate: false } as const
    const channels = await withOperator({ ...request, purpose: "read" }, (operator) =>
      operator.channels.listLastDay(),
    )
    const records = channels.map(toChannelRecord)
    printResult(options, context, records, () => formatChannels(records))
  },
})
