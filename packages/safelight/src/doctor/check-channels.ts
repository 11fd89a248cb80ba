/** Each channel as `channels check` sees it, and each model as `models check` does; nothing is bought. */
import { sealPrices, withModelPrices } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { checkPlanned } from "../channels/check-channels.ts"
import { planChannels, type ChannelPlan } from "../channels/plan-channels.ts"
import { reportModels } from "../models/report-models.ts"
import { listWarnings } from "../text/models-text.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Check } from "./run-checks.ts"
import type { Surroundings } from "./surroundings.ts"

/** One for each channel, so that one that hangs hides no other, and one for the models. */
export async function listChannelChecks(surroundings: Surroundings): Promise<readonly Check[]> {
  const { configuration, environment } = surroundings
  const { channels, models } = configuration
  const plans = await planChannels({ channels, models, environment })
  const checks = plans.map((plan, index): Check => {
    const name = `channel ${plan.name}`
    const advice = `look at the channel in the configuration, or take it out`
    const run = async (): Promise<readonly Finding[]> => {
      const report = await checkPlanned(plan, channels[index], { configuration, environment })
      const { key, notes = [], problems } = report
      const others = notes.length === 0 ? "" : `; ${notes.join("; ")}`
      const well = ok(name, `${KEY_WORDS[key ?? "null"]}${others}`)
      return orElse(
        problems.map((problem) => fault(name, problem, advice)),
        well,
      )
    }
    return { name, run, advice }
  })
  return [...checks, toModelsCheck(surroundings, plans)]
}

const KEY_WORDS = {
  taken: "it takes the key",
  refused: "it refuses the key",
  unproved: "it answers; whether it takes the key was not proved",
  none: "it needs no key",
  null: "it was not asked, since it has no check",
} as const

function toModelsCheck({ configuration }: Surroundings, plans: readonly ChannelPlan[]): Check {
  const { channels, models, prices } = configuration
  const name = "models"
  const advice = "`safelight models check` shows each with its price and its channels"
  return {
    name,
    advice,
    async run() {
      const sealed = sealPrices(withModelPrices(prices, models), sha256)
      const reports = reportModels({ channels, models, plans, prices: sealed })
      const found = reports.flatMap((report) =>
        listWarnings(report).map((words) => warning(name, `${report.model.id}: ${words}`, advice)),
      )
      const well = `${models.length}, each with a price and a channel`
      return orElse(found, ok(name, well))
    },
  }
}
