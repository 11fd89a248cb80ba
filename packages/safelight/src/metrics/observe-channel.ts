/**
 * A channel, observed: what its calls came to, how long they took and how many are under way. A call
 * that throws left its outcome unknown, whatever the engine makes of it afterwards.
 */
import {
  isFailureCode,
  type Channel,
  type Clock,
  type PollOutcome,
  type SubmitOutcome,
} from "@safelight/core"
import { Gauge, type Registry } from "prom-client"
import { toErrorCode } from "./error-code.ts"
import { CHANNEL_BOUNDS } from "./latency-bounds.ts"
import { toOwnMembers } from "./own-members.ts"
import { createCounter, createHistogram, type Counter, type Histogram } from "./tally.ts"

export interface ChannelMeterOptions {
  readonly registry: Registry
  readonly clock: Pick<Clock, "monotonicNow">
}

type Call = "submit" | "poll"
type OutcomeLabel = "channel" | "call" | "outcome" | "code"

interface Shared {
  readonly clock: Pick<Clock, "monotonicNow">
  readonly outcomes: Counter<OutcomeLabel>
  readonly durations: Histogram<"channel" | "call">
  readonly inFlight: Gauge<"channel" | "call">
}

/** Channels are told apart by their names. */
export function createChannelMeter(options: ChannelMeterOptions): (channel: Channel) => Channel {
  const { registry, clock } = options
  const shared: Shared = {
    clock,
    outcomes: createCounter(registry, {
      name: "safelight_channel_outcomes_total",
      help: "What calls of channels came to; the code says why they refused, or how they failed.",
      labels: ["channel", "call", "outcome", "code"],
    }),
    durations: createHistogram(registry, {
      name: "safelight_channel_duration_seconds",
      help: "How long calls of channels took, failed ones included.",
      labels: ["channel", "call"],
      bounds: CHANNEL_BOUNDS,
    }),
    inFlight: new Gauge({
      name: "safelight_channel_calls_in_flight",
      help: "Calls of channels under way.",
      labelNames: ["channel", "call"],
      registers: [registry],
    }),
  }
  const meters = new Map<string, Readonly<Record<Call, Observe>>>()

  function toMeters(channel: string): Readonly<Record<Call, Observe>> {
    const known = meters.get(channel)
    if (known !== undefined) return known
    const made = {
      submit: createCallMeter(shared, channel, "submit"),
      poll: createCallMeter(shared, channel, "poll"),
    }
    meters.set(channel, made)
    return made
  }

  return (channel) => {
    const { submit, poll } = toMeters(channel.name)
    return {
      ...toOwnMembers(channel),
      submit: (request) => submit(() => channel.submit(request)),
      poll: (request) => poll(() => channel.poll(request)),
    }
  }
}

type Observe = <Outcome extends SubmitOutcome | PollOutcome>(
  make: () => Promise<Outcome>,
) => Promise<Outcome>

function createCallMeter(shared: Shared, channel: string, call: Call): Observe {
  const { clock, outcomes, durations } = shared
  const duration = durations.series({ channel, call })
  const inFlight = shared.inFlight.labels({ channel, call })
  const known = new Map<string, ReturnType<typeof outcomes.series>>()
  inFlight.set(0)

  function count(outcome: string, code: string): void {
    const name = `${outcome} ${code}`
    const series = known.get(name) ?? outcomes.series({ channel, call, outcome, code })
    known.set(name, series)
    series.add(1)
  }

  return async (make) => {
    const beganAt = clock.monotonicNow()
    inFlight.inc()
    try {
      const outcome = await make()
      count(outcome.kind, toRefusalCode(outcome))
      return outcome
    } catch (error) {
      count("unknown", toErrorCode(error))
      throw error
    } finally {
      inFlight.dec()
      duration.observe((clock.monotonicNow() - beganAt) / 1_000)
    }
  }
}

/** A code that is none of ours, from a channel that takes no care, stays one of few. */
function toRefusalCode(outcome: SubmitOutcome | PollOutcome): string {
  if (outcome.kind !== "refused") return ""
  return isFailureCode(outcome.code) ? outcome.code : "unexpected"
}
