/**
 * The channels of an engine, and the permits that work has of them. Which one serves a task is chosen by
 * `choose-channel.ts`, and why is recorded in the log. A permit is held from the choice until the driver
 * lets it go, for the breaker only until its call is over; a channel has as many as its `concurrency`,
 * over all processes that share the storage.
 */
import type { Channel, Ineligible, ParameterValues } from "@safelight/core"
import type { UnitCosts } from "../record/attempt-cost.ts"
import type { Context } from "../host/context.ts"
import type { Ports } from "../host/ports.ts"
import type { Breaker } from "./breaker.ts"
import { createChannelPlace, type ChannelPlace } from "./channel-place.ts"
import { chooseChannel, explainChoice } from "./choose-channel.ts"
import { findIneligibility, type AskedFor } from "../work/answers/eligibility.ts"
import { createPauseKnowledge } from "./pauses.ts"

/** A channel with its place in the routing; a bare channel stands in tier 1 with weight 1. */
export interface Route {
  readonly channel: Channel
  /** Lower tiers are asked first. */
  readonly tier?: number
  /** Its share of what its tier makes of a model. */
  readonly weight?: number
  /** What its provider charges, where that does not say so itself; by model. */
  readonly costs?: UnitCosts
  /** In place of the channel's own. */
  readonly requestsPerMinute?: number
  /**
   * Of a channel that costs nothing: what is in doubt there is asked for again, also where it honours no
   * key, or not any more.
   */
  readonly repeats?: boolean
}

export type RoutingPorts = Pick<Ports, "clock" | "settings"> & Pick<Context, "shares">

export interface ChannelPermit {
  readonly channel: Channel
  readonly breaker: Breaker
  /** Why this channel, for the log. */
  readonly because: string
  /** The channel has no room: this process gives it nothing for so long. */
  readonly pause: (durationMs: number) => void
  /** Whether an operator has paused the channel since, as far as that is known. */
  readonly isPaused: () => boolean
  /** A request to buy leaves now, which counts in the channel's minute. */
  readonly beginCall: () => void
  /** The call it was taken for is over: the channel may be tried by another. */
  endCall(): void
  /** Lets it go, with or without a call. */
  release(): void
}

/** A channel that does not take a request, and why. */
export interface Refusal {
  readonly channel: Channel
  readonly ineligible: Ineligible
}

export interface Routing {
  readonly channels: readonly Channel[]
  /** How many more tasks of `model` can be worked on now. */
  countFree(model: string): number
  /** Whether a channel of `model` is not paused; its breaker may be open, and it may be full. */
  readonly isOffered: (model: string) => boolean
  /** The channels that make `model`, by name. */
  readonly listMakers: (model: string) => readonly string[]
  /** Whether a channel of `model` is neither paused nor refused by its breaker; it may be full. */
  readonly isServed: (model: string) => boolean
  /** Whether nothing new of `model` can be begun now, and a channel of it is paused. */
  readonly isResting: (model: string) => boolean
  /** Whether every channel of the model that takes the request is paused. */
  readonly isOnHold: (
    model: string,
    parameters: ParameterValues | undefined,
    refusedBy?: readonly string[],
  ) => boolean
  /** Whether what was last said of pauses still counts; if not, no channel gets anything new. */
  readonly arePausesKnown: () => boolean
  /** Has the channels of these names get nothing new, and no others. */
  readonly pause: (names: ReadonlySet<string>) => void
  /** Whether some channel of `model` takes only what it can express: then `tryAcquire` needs the parameters. */
  readonly isChoosy: (model: string) => boolean
  /** Why each channel of the model does not take the request; empty where one does. */
  readonly findRefusals: (request: AskedFor, refusedBy?: readonly string[]) => readonly Refusal[]
  /** Whether some channel's breaker lets something new begin. */
  readonly isAble: () => boolean
  /** The channels whose breakers are open, by name. */
  readonly listLeftAlone: () => readonly string[]
  /**
   * A permit for a new attempt; undefined if every channel is full, unavailable or does not take
   * the request. Without parameters, as after an erasure, no channel is asked whether it does; those
   * that have refused the task are none for it.
   */
  tryAcquire(
    model: string,
    parameters: ParameterValues | undefined,
    refusedBy?: readonly string[],
  ): ChannelPermit | undefined
  /** Whether some channel takes the request, even if it is full, unavailable or paused. */
  hasTaker(
    model: string,
    parameters: ParameterValues | undefined,
    refusedBy: readonly string[],
  ): boolean
  /** A permit of one channel, also beyond its limit: its work is under way already. */
  join(channel: string): ChannelPermit | undefined
}

export function createRouting(routes: readonly (Channel | Route)[], ports: RoutingPorts): Routing {
  const pauses = createPauseKnowledge(ports)
  const places = routes.map((route) =>
    createChannelPlace("channel" in route ? route : { channel: route }, ports, pauses.areKnown),
  )
  const flows = new Map<string, Flows>()

  function serving(model: string): ChannelPlace[] {
    return places.filter(({ channel }) => channel.models.includes(model))
  }

  const { judge, listTakers } = createJudgement(serving)

  return {
    channels: places.map(({ channel }) => channel),
    listMakers: (model) => serving(model).map(({ channel }) => channel.name),
    countFree: (model) => serving(model).reduce((total, place) => total + place.countFree(), 0),
    ...createPauseRules(serving, listTakers),
    arePausesKnown: pauses.areKnown,
    pause(names) {
      for (const place of places) place.setPaused(names.has(place.channel.name))
      pauses.note()
    },
    isChoosy: (model) => serving(model).some(({ channel }) => channel.accepts !== undefined),
    findRefusals({ model, parameters }, refusedBy) {
      const refusals = judge(model, parameters, refusedBy)
      return refusals.length === serving(model).length ? refusals : []
    },
    hasTaker: (...asked) => listTakers(...asked).length > 0,
    isAble: () => places.some(({ breaker }) => breaker.state() !== "open"),
    listLeftAlone: () =>
      places.flatMap(({ breaker, channel }) => (breaker.state() === "closed" ? [] : channel.name)),
    tryAcquire(model, parameters, refusedBy) {
      const refusals = judge(model, parameters, refusedBy)
      return acquire(serving(model), findFlows(flows, model), refusals)
    },
    join(channel) {
      const place = places.find((each) => each.channel.name === channel)
      return place?.join("the task's channel")
    },
  }
}

/** Said of a channel in the log, behind its name. */
const REFUSED_BEFORE: Ineligible = { kind: "ineligible", reason: "has refused it" }

function acquire(
  places: readonly ChannelPlace[],
  flows: Flows,
  refusals: readonly Refusal[],
): ChannelPermit | undefined {
  const candidates = places.map((place) => ({
    ...place.toStanding(),
    place,
    name: place.channel.name,
    tier: place.tier,
    weight: place.weight,
    ineligible: refusals.find(({ channel }) => channel === place.channel)?.ineligible.reason,
    startTag: flows.tags.get(place.channel.name) ?? 0,
  }))
  const choice = chooseChannel(candidates, flows.times)
  if (choice === undefined) return undefined
  const { name, place, tier } = choice.candidate
  const permit = place.tryAcquire(explainChoice(candidates, choice))
  if (permit === undefined) return undefined
  flows.tags.set(name, choice.nextTag)
  flows.times.set(tier, choice.time)
  return permit
}

/** Of a model: the next start tag of each channel, and the virtual time of each tier. */
interface Flows {
  readonly tags: Map<string, number>
  readonly times: Map<number, number>
}

function findFlows(flows: Map<string, Flows>, model: string): Flows {
  const known = flows.get(model)
  if (known !== undefined) return known
  const made: Flows = { tags: new Map(), times: new Map() }
  flows.set(model, made)
  return made
}

interface Judgement {
  /** Which channels of a model do not take a request, and why. Without parameters none is asked. */
  readonly judge: (
    model: string,
    parameters: ParameterValues | undefined,
    refusedBy: readonly string[] | undefined,
  ) => readonly Refusal[]
  /** The others. */
  readonly listTakers: (...asked: Parameters<Judgement["judge"]>) => readonly ChannelPlace[]
}

function createJudgement(serving: (model: string) => readonly ChannelPlace[]): Judgement {
  const judge: Judgement["judge"] = (model, parameters, refusedBy = []) =>
    serving(model).flatMap(({ channel }) => {
      if (refusedBy.includes(channel.name)) return { channel, ineligible: REFUSED_BEFORE }
      const ineligible = parameters && findIneligibility(channel, { model, parameters })
      return ineligible === undefined ? [] : { channel, ineligible }
    })
  return {
    judge,
    listTakers(...asked) {
      const [model] = asked
      const refusing = new Set(judge(...asked).map(({ channel }) => channel))
      return serving(model).filter(({ channel }) => !refusing.has(channel))
    },
  }
}

function createPauseRules(
  serving: (model: string) => readonly ChannelPlace[],
  listTakers: Judgement["listTakers"],
): Pick<Routing, "isOffered" | "isOnHold" | "isResting" | "isServed"> {
  return {
    isOffered: (model) => serving(model).some((place) => !place.isPaused()),
    isServed: (model) =>
      serving(model).some((place) => !place.isPaused() && place.breaker.state() === "closed"),
    isResting: (model) =>
      serving(model).some((place) => place.toStanding().isPaused) &&
      serving(model).every((place) => place.countFree() === 0),
    isOnHold(model, parameters, refusedBy) {
      const takers = listTakers(model, parameters, refusedBy)
      return takers.length > 0 && takers.every((place) => place.isPaused())
    },
  }
}
