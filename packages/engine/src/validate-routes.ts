/** What a configuration of channels must be before an engine is made of it. */
import { SafelightError, type Channel } from "@safelight/core"
import type { Route } from "./scheduling/routing.ts"

/** Throws `invalid-configuration` where two channels share a name or a setting makes no sense. */
export function validateRoutes(routes: readonly (Channel | Route)[]): void {
  const names = new Set<string>()
  for (const given of routes) {
    const route: Route = "channel" in given ? given : { channel: given }
    const { name } = route.channel
    const fault = names.has(name) ? NEEDS_PLACE : (findFault(route) ?? findRepeatFault(route))
    if (fault !== undefined) {
      throw new SafelightError({
        code: "invalid-configuration",
        message: `channel ${name} ${fault}`,
      })
    }
    names.add(name)
  }
}

const NEEDS_PLACE = "needs a name of its own, an integer tier, and a weight above 0"

function findFault({ channel, tier = 1, weight = 1, ...more }: Route): string | undefined {
  const isPlaced = Number.isSafeInteger(tier) && Number.isFinite(weight) && weight > 0
  if (!isPlaced) return NEEDS_PLACE
  const { concurrency } = channel
  const { requestsPerMinute = channel.requestsPerMinute ?? 1 } = more
  for (const [name, count] of Object.entries({ concurrency, requestsPerMinute })) {
    if (Number.isSafeInteger(count) && count >= 1) continue
    return `needs a ${name} that is a positive integer, and not ${count}`
  }
  return undefined
}

function findRepeatFault({ channel, repeats = false }: Route): string | undefined {
  if (!repeats || channel.isFree === true) return undefined
  return "does not say that it costs nothing: repeat is not for it"
}
