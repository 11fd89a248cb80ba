/**
 * The channels that a host hands over, made what the engine calls: validated, their answers checked, those
 * that may be asked again whatever happened marked as such.
 */
import {
  SafelightError,
  type Channel,
  type MediaInspector,
  type MediaSource,
  type Tracer,
} from "@safelight/core"
import { toCheckedChannel, type CheckingPorts } from "../work/answers/checked-channel.ts"
import { withSpans } from "../work/traced-channel.ts"
import type { Route } from "./routing.ts"

export interface RoutePorts extends Pick<CheckingPorts, "log"> {
  readonly inspector: MediaInspector | undefined
  readonly media: MediaSource | undefined
  readonly tracer: Tracer
}

/**
 * Throws `invalid-configuration` where two channels share a name, a setting makes no sense, or outputs of a
 * channel lie at URLs and `media` or `inspector` is missing.
 */
export function toRoutes(
  given: readonly (Channel | Route)[],
  { inspector, media, tracer, ...ports }: RoutePorts,
): readonly Route[] {
  const routes: readonly Route[] = given.map((each) =>
    "channel" in each ? each : { channel: each },
  )
  validateRoutes(routes)
  const hasInspector = inspector !== undefined
  const checked = routes.map(({ channel, ...place }) => {
    const own = toCheckedChannel(channel, { hasInspector, ...ports })
    const traced = withSpans(own, tracer)
    return { ...place, channel: place.repeats === true ? toRepeating(traced) : traced }
  })
  requireFetching(routes, { inspector, media })
  return checked
}

function validateRoutes(routes: readonly Route[]): void {
  const names = new Set<string>()
  for (const route of routes) {
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

function requireFetching(
  routes: readonly Route[],
  { inspector, media }: Pick<RoutePorts, "inspector" | "media">,
): void {
  if (inspector !== undefined && media !== undefined) return
  const linking = routes.find(({ channel }) => channel.outputOrigins !== undefined)
  if (linking === undefined) return
  const message = `outputs of channel ${linking.channel.name} lie at URLs: the engine needs media and inspector`
  throw new SafelightError({ code: "invalid-configuration", message })
}

/**
 * A channel that costs nothing, whose operator has allowed repeats: what is in doubt is asked for again
 * under its key for as long as the task lives, as of one that honours keys for good. The channel may do
 * the work twice. It stays with it: also here an unknown outcome is no reason to ask another.
 */
function toRepeating(channel: Channel): Channel {
  const { kind } = channel.submission
  // One that can be asked what became of a key has an answer to every doubt.
  if (kind === "lookup") return channel
  const repeating = { ...channel, submission: { kind: "keyed", keyTtlMs: Infinity } } as const
  if (kind === "keyed") return repeating
  // To one that knows no keys each request is the first: what it refuses, it refuses.
  return { ...repeating, submit: ({ isRepeat: _isRepeat, ...request }) => channel.submit(request) }
}
