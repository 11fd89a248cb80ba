/** Channels as an operator is shown them: money in micro-units, moments in Unix seconds, durations in milliseconds. */
import {
  HOST_REFUSED,
  textToImage,
  toHostLine,
  toUnixSeconds,
  type ChannelCheckReport,
  type ChannelHour,
  type ChannelStanding,
  type ChannelTrouble,
  type ChannelView,
} from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "./body.ts"
import { whole } from "./shapes.ts"

export const unknownCosts = described(
  whole,
  "Attempts whose cost nobody told: the cost is at least what is shown.",
)

const entries = {
  name: v.string(),
  state: described(
    v.picklist(["running", "paused", "draining"]),
    "`draining`: paused, with tasks in flight.",
  ),
  paused_at: described(whole, "Unix time in seconds; 0 while it is running."),
  in_flight: described(whole, "Tasks that it has, over all nodes."),
}

const hour = v.object({
  at: described(whole, "When the hour begins, Unix time in seconds."),
  succeeded: whole,
  failed: whole,
  deferred: described(whole, "Attempts that were billed, and after which the task went on."),
  charge_micros: described(whole, "What accounts were charged."),
  cost_micros: described(whole, "What it cost upstream, US dollars."),
  unknown_costs: unknownCosts,
  p50_ms: described(
    v.nullable(whole),
    "From the request to the end, of those that succeeded; null if none did.",
  ),
  p95_ms: v.nullable(whole),
})

const trouble = v.object({
  reason: described(
    v.string(),
    "`provider_out_of_money`, `provider_answered_401` and the like, `output_host_refused`.",
  ),
  words: described(v.string(), "The provider's own, cut; the host that was refused."),
  since: described(whole, "Unix time in seconds."),
  add: described(
    v.nullable(v.string()),
    "What the channel's configuration lacks; null for anything else.",
  ),
})

const channel = v.object({
  ...entries,
  type: described(
    v.nullable(v.string()),
    "Null, like the next members, where it is not in the configuration.",
  ),
  tier: v.nullable(v.number()),
  weight: v.nullable(v.number()),
  models: v.nullable(v.array(v.string())),
  upstreams: described(
    v.record(v.string(), v.string()),
    "By public id, what its provider calls those models that have another name there.",
  ),
  left_out: described(
    v.nullable(v.string()),
    "Why this configuration does not serve it; null where it does.",
  ),
  left_alone_by: described(
    whole,
    "How many processes give it nothing new, since it failed several times in a row.",
  ),
  troubles: described(
    v.array(trouble),
    "What its running processes need the operator for, the oldest first.",
  ),
  limits: described(
    v.nullable(v.object({ concurrency: whole, requests_per_minute: v.nullable(v.number()) })),
    "Null where the process that answers does not have it.",
  ),
  hours: described(
    v.array(hour),
    "Of the last 24, the one under way included; those without an end are left out.",
  ),
})

const EXAMPLE = { name: "studio", state: "running", paused_at: 0, in_flight: 2 } as const

const CHANNEL_LIST_EXAMPLE = {
  channels: [
    {
      ...EXAMPLE,
      type: "studio",
      tier: 1,
      weight: 1,
      models: [textToImage.id],
      upstreams: {},
      left_out: null,
      left_alone_by: 0,
      troubles: [],
      limits: { concurrency: 2, requests_per_minute: null },
      hours: [
        {
          at: 1_767_225_600,
          succeeded: 13,
          failed: 1,
          deferred: 0,
          charge_micros: 390_000,
          cost_micros: 130_000,
          unknown_costs: 0,
          p50_ms: 2_100,
          p95_ms: 4_700,
        },
      ],
    },
  ],
} as const

export const channelList = defineBody("ChannelList", CHANNEL_LIST_EXAMPLE, {
  channels: v.array(channel),
})

const CHANNEL_STANDING_EXAMPLE = {
  ...EXAMPLE,
  state: "draining",
  paused_at: 1_767_225_600,
} as const

export const channelStanding = defineBody("ChannelStanding", CHANNEL_STANDING_EXAMPLE, entries)

const CHANNEL_CHECK_EXAMPLE = {
  name: "fal",
  type: "fal",
  key: "taken",
  problems: [],
  notes: [],
} as const

export const channelCheck = defineBody("ChannelCheck", CHANNEL_CHECK_EXAMPLE, {
  name: v.string(),
  type: v.string(),
  key: described(
    v.nullable(v.picklist(["taken", "refused", "unproved", "none"])),
    "`none`: it needs none. Null where it was not asked, or does not tell.",
  ),
  problems: described(v.array(v.string()), "For people; empty if all is well."),
  notes: described(v.array(v.string()), "What it lacks although it serves."),
})

const STATES = { open: "running", paused: "paused", draining: "draining" } as const

export function toStandingBody({
  channel: name,
  inFlight,
  pausedAt,
  state,
}: ChannelStanding): Shown<typeof channelStanding> {
  return {
    name,
    state: STATES[state],
    paused_at: toUnixSeconds(pausedAt),
    in_flight: inFlight,
  }
}

export function toChannelBody(view: ChannelView): Shown<typeof channel> {
  const { leftAloneBy, leftOut, limits, models, tier, type, upstreams = {}, weight } = view
  return {
    ...toStandingBody(view),
    type,
    tier,
    weight,
    models,
    upstreams,
    left_out: leftOut,
    left_alone_by: leftAloneBy,
    troubles: view.troubles.map(toTroubleBody),
    limits: limits && {
      concurrency: limits.concurrency,
      requests_per_minute: limits.requestsPerMinute,
    },
    hours: view.hours.map(toHourBody),
  }
}

function toTroubleBody({ reason, since, words }: ChannelTrouble): Shown<typeof trouble> {
  const add = reason === HOST_REFUSED ? toHostLine(words) : null
  return { reason, words, since: toUnixSeconds(since), add }
}

function toHourBody(shown: ChannelHour): Shown<typeof hour> {
  return {
    at: toUnixSeconds(shown.hourAt),
    succeeded: shown.succeeded,
    failed: shown.failed,
    deferred: shown.deferred,
    charge_micros: shown.chargeMicros,
    cost_micros: shown.toldMicros + shown.computedMicros,
    unknown_costs: shown.unknown,
    p50_ms: shown.p50Ms,
    p95_ms: shown.p95Ms,
  }
}

export function toCheckBody({
  channel: name,
  key,
  notes,
  problems,
  type,
}: ChannelCheckReport): Shown<typeof channelCheck> {
  return { name, type, key, problems, notes: notes ?? [] }
}
