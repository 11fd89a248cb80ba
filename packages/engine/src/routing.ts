/**
 * The channels of an engine, and the slots that work has of them. Which one serves a task is chosen by
 * `choose-channel.ts`, and why is recorded in the log. A slot is held from the choice until the driver
 * lets it go, for the breaker only until its call is over; a channel has as many as its `concurrency`,
 * over all processes that share the storage.
 */
import type { Channel, Ineligible, ParameterValues } from "@safelight/core"
import type { UnitCosts } from "./attempt-cost.ts"
import type { Breaker } from "./breaker.ts"
import { createChannelPlace, type ChannelPlace } from "./channel-place.ts"
import { chooseChannel, explainChoice } from "./choose-channel.ts"
import { findIneligibility, type AskedFor } from "./eligibility.ts"
import { createPauseKnowledge } from "./pause-knowledge.ts"
import type { SlotPorts } from "./slot-holding.ts"
import type { SlotPool } from "./slot-pool.ts"

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

export interface Slot {
  readonly channel: Channel
  readonly breaker: Breaker
  /** Why this channel, for the log. */
  readonly because: string
  /** The channel has no room: it is left alone for so long, by this process. */
  readonly pause: (durationMs: number) => void
  /** Whether an operator has paused the channel since, as far as that is known. */
  readonly isPaused: () => boolean
  /** A request to buy leaves now, which counts in the channel's minute. */
  readonly beginCall: () => void
  /** The call it was taken for is over: the channel may be tried by another. */
  endCall(): void
  /** Lets it go, with or without a call. */
  free(): void
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
  /** Whether a channel of `model` is neither left alone nor paused; it may be full. */
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
  /** Whether some channel of `model` takes only what it can express: then `take` needs the parameters. */
  readonly isChoosy: (model: string) => boolean
  /** Why each channel of the model does not take the request; empty where one does. */
  readonly findRefusals: (request: AskedFor, refusedBy?: readonly string[]) => readonly Refusal[]
  /**
   * Takes a slot for a new attempt; undefined where every channel is full, left alone or does not take
   * the request. Without parameters, as after an erasure, no channel is asked whether it does; those
   * that have refused the task are none for it.
   */
  take(
    model: string,
    parameters: ParameterValues | undefined,
    refusedBy?: readonly string[],
  ): Slot | undefined
  /** Whether some channel takes the request, be it full, left alone or paused. */
  hasTaker(
    model: string,
    parameters: ParameterValues | undefined,
    refusedBy: readonly string[],
  ): boolean
  /** Takes a slot of one channel, also beyond its limit: its work is under way already. */
  rejoin(channel: string): Slot | undefined
  /** Whether asking the storage could bring slots to channels that have none free here. */
  canGrow(channels: readonly Channel[]): boolean
  grow(channels: readonly Channel[]): Promise<void>
  /** Gives back slots that are not used here, and tells which channels are left alone. */
  tend(): Promise<void>
  /** Says again which slots this process holds, and what it told; part of a renewal. */
  repeat(): Promise<void>
}

export function createRouting(routes: readonly (Channel | Route)[], ports: SlotPorts): Routing {
  const pauses = createPauseKnowledge(ports)
  const places = routes.map((route) =>
    createChannelPlace("channel" in route ? route : { channel: route }, ports, pauses.areKnown),
  )
  const lines = new Map<string, Line>()

  function serving(model: string): ChannelPlace[] {
    return places.filter(({ channel }) => channel.models.includes(model))
  }

  const { judge, listTakers } = createJudgement(serving)

  /** Those of `channels` that could do with a slot and may get one. */
  function growing(channels: readonly Channel[]): SlotPool[] {
    return places
      .filter(({ channel }) => channels.includes(channel))
      .filter((place) => !place.isPaused() && isPassable(place.breaker))
      .flatMap(({ pools }) => pools)
      .filter((pool) => pool.countFree() === 0 && pool.canGrow())
  }

  const allPools = (): SlotPool[] => places.flatMap(({ pools }) => pools)

  return {
    channels: places.map(({ channel }) => channel),
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
    take(model, parameters, refusedBy) {
      const refusals = judge(model, parameters, refusedBy)
      return takeSlot(serving(model), findLine(lines, model), refusals)
    },
    rejoin(channel) {
      const place = places.find((each) => each.channel.name === channel)
      return place?.join("the task's channel")
    },
    canGrow: (channels) => growing(channels).length > 0,
    async grow(channels) {
      for (const pool of growing(channels)) await pool.grow()
    },
    async tend() {
      for (const pool of allPools()) await pool.tend()
      for (const { notice } of places) await notice.tend()
    },
    async repeat() {
      for (const pool of allPools()) await pool.repeat()
      for (const { notice } of places) await notice.repeat()
    },
  }
}

/** Said of a channel in the log, behind its name. */
const REFUSED_BEFORE: Ineligible = { kind: "ineligible", reason: "has refused it" }

/** Whether a breaker stands in the way of something new; one that is being tried does. */
function isPassable(breaker: Breaker): boolean {
  const state = breaker.state()
  return state === "closed" || state === "half-open"
}

function takeSlot(
  places: readonly ChannelPlace[],
  line: Line,
  refusals: readonly Refusal[],
): Slot | undefined {
  const candidates = places.map((place) => ({
    ...place.toStanding(),
    place,
    name: place.channel.name,
    tier: place.tier,
    weight: place.weight,
    ineligible: refusals.find(({ channel }) => channel === place.channel)?.ineligible.reason,
    turn: line.turns.get(place.channel.name) ?? 0,
  }))
  const choice = chooseChannel(candidates, line.times)
  if (choice === undefined) return undefined
  const { name, place, tier } = choice.candidate
  const slot = place.borrow(explainChoice(candidates, choice))
  if (slot === undefined) return undefined
  line.turns.set(name, choice.nextTurn)
  line.times.set(tier, choice.time)
  return slot
}

/** How far the turns of a model's channels have come, by channel and by tier. */
interface Line {
  readonly turns: Map<string, number>
  readonly times: Map<number, number>
}

function findLine(lines: Map<string, Line>, model: string): Line {
  const known = lines.get(model)
  if (known !== undefined) return known
  const line: Line = { turns: new Map(), times: new Map() }
  lines.set(model, line)
  return line
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
): Pick<Routing, "isOnHold" | "isResting" | "isServed"> {
  return {
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
