/**
 * `safelight migrate`: makes the tables of an empty database, or brings those of an older release along, as a start
 * would. It is for deployments whose nodes start only once that is done.
 */
import { DATA_OPTIONS, loadDataConfiguration } from "../command-line/data-options.ts"
import { defineCommand } from "../command-line/define-command.ts"

export const command = defineCommand({
  name: "migrate",
  description: "make or migrate the tables of the database, as a start would",
  options: DATA_OPTIONS,
  async run({ options, context }) {
    const { withData } = await import("../data/open-data.ts")
    const configuration = await loadDataConfiguration(options, context)
    await withData({ configuration, mayCreate: true }, async (storage) => storage.check())
    context.print("the tables are those of this release\n")
  },
})
