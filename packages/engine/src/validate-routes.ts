/** What a configuration of channels must be before an engine is made of it. */
import { SafelightError, type Channel } from "@safelight/core"
import type { Route } from "./routing.ts"

/** Throws `invalid-configuration` where two channels share a name or a setting makes no sense. */
export function validateRoutes(routes: readonly (Channel | Route)[]): Channel[] {
  const names = new Set<string>()
  return routes.map((route) => {
    const given: Route = "channel" in route ? route : { channel: route }
    const { channel, repeats = false, tier = 1, weight = 1 } = given
    const isSane = Number.isSafeInteger(tier) && Number.isFinite(weight) && weight > 0
    if (names.has(channel.name) || !isSane) {
      const message = `channel ${channel.name} needs a name of its own, an integer tier, and a weight above 0`
      throw new SafelightError({ code: "invalid-configuration", message })
    }
    const { isFree = false } = channel
    const { requestsPerMinute = channel.requestsPerMinute ?? 1 } = given
    if (!Number.isSafeInteger(requestsPerMinute) || requestsPerMinute < 1) {
      const message = `channel ${channel.name} needs requestsPerMinute to be a positive integer, and not ${requestsPerMinute}`
      throw new SafelightError({ code: "invalid-configuration", message })
    }
    if (repeats && !isFree) {
      const message = `channel ${channel.name} does not say that it costs nothing: repeat is not for it`
      throw new SafelightError({ code: "invalid-configuration", message })
    }
    if (!Number.isSafeInteger(channel.concurrency) || channel.concurrency < 1) {
      const message = `channel ${channel.name} needs a concurrency that is a positive integer, and not ${channel.concurrency}`
      throw new SafelightError({ code: "invalid-configuration", message })
    }
    names.add(channel.name)
    return channel
  })
}
