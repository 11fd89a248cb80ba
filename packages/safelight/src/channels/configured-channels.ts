/** The channels of a configuration, as an operator sees and checks them. */
import type { ChannelLimits } from "@safelight/core"
import type { Route } from "@safelight/engine"
import type { ConfiguredChannel, ConfiguredChannels } from "@safelight/operator"
import { checkPlanned, type CheckOptions } from "./check-channels.ts"
import { planChannels, type ChannelPlan } from "./plan-channels.ts"

export interface ConfiguredChannelsOptions extends CheckOptions {
  /** The channels of this process. */
  readonly routes: readonly Route[]
}

export function createConfiguredChannels(options: ConfiguredChannelsOptions): ConfiguredChannels {
  const { configuration, environment, routes } = options
  const { channels, models } = configuration
  const limits = new Map(routes.map((route) => [route.channel.name, toLimits(route)]))
  let plans: Promise<readonly ChannelPlan[]> | undefined

  /** Once, unless it fails: it runs files of the operator's own. */
  async function plan(): Promise<readonly ChannelPlan[]> {
    plans ??= planChannels({ channels, models, environment })
    try {
      return await plans
    } catch (error) {
      plans = undefined
      throw error
    }
  }

  return {
    async list() {
      return (await plan()).map((each): ConfiguredChannel => {
        const own = limits.get(each.name)
        return own === undefined ? each : { ...each, limits: own }
      })
    },
    async check(name) {
      const planned = await plan()
      const place = planned.findIndex((each) => each.name === name)
      const found = planned[place]
      if (found === undefined) throw new RangeError(`no channel is called ${name}`)
      return checkPlanned(found, channels[place], options)
    },
  }
}

function toLimits({ channel, requestsPerMinute }: Route): ChannelLimits {
  return {
    concurrency: channel.concurrency,
    requestsPerMinute: requestsPerMinute ?? channel.requestsPerMinute ?? null,
  }
}
