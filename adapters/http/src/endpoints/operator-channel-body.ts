/** Channels as the operator's API shows them: money in micro-units, moments in Unix seconds, durations in ms. */
import {
  HOST_REFUSED,
  toHostLine,
  toUnixSeconds,
  type ChannelCheckReport,
  type ChannelHour,
  type ChannelStanding,
  type ChannelTrouble,
  type ChannelView,
} from "@safelight/core"

const STATES = { open: "running", paused: "paused", draining: "draining" } as const

export function toStandingBody({ channel, inFlight, pausedAt, state }: ChannelStanding): object {
  return {
    name: channel,
    state: STATES[state],
    paused_at: toUnixSeconds(pausedAt),
    in_flight: inFlight,
  }
}

export function toChannelBody(view: ChannelView): object {
  const { leftAloneBy, leftOut, limits, models, tier, type, weight } = view
  return {
    ...toStandingBody(view),
    type,
    tier,
    weight,
    models,
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

function toTroubleBody({ reason, since, words }: ChannelTrouble): object {
  const add = reason === HOST_REFUSED ? toHostLine(words) : null
  return { reason, words, since: toUnixSeconds(since), add }
}

function toHourBody(hour: ChannelHour): object {
  return {
    at: toUnixSeconds(hour.hourAt),
    succeeded: hour.succeeded,
    failed: hour.failed,
    deferred: hour.deferred,
    charge_micros: hour.chargeMicros,
    cost_micros: hour.toldMicros + hour.computedMicros,
    unknown_costs: hour.unknown,
    p50_ms: hour.p50Ms,
    p95_ms: hour.p95Ms,
  }
}

export function toCheckBody({ channel, key, notes, problems, type }: ChannelCheckReport): object {
  return { name: channel, type, key, problems, notes: notes ?? [] }
}
