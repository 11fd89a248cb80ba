/**
 * Metrics of a channel: the outcomes of its calls, how long they took and how many are in progress. A call that
 * rejects counts as `unknown`, whatever the engine concludes from it.
 */
import { isFailureCode, type Channel, type PollOutcome, type SubmitOutcome } from "@safelight/core"
import { Counter, Gauge, Histogram, type Registry } from "prom-client"
import { toErrorCode } from "./error-code.ts"
import { CHANNEL_BUCKETS } from "./latency-buckets.ts"
import type { MeterOptions } from "./observe-port.ts"
import { toOwnMembers } from "./own-members.ts"

/** A channel is known by its name. */
export function createChannelMeter(options: MeterOptions): (channel: Channel) => Channel {
  const { registry, clock } = options
  const instruments = createInstruments(registry)

  function createCallMeter(channel: string, call: "submit" | "poll") {
    const duration = instruments.durations.labels({ channel, call })
    const inFlight = instruments.inFlight.labels({ channel, call })
    inFlight.inc(0)
    const count = (outcome: string, code: string): void =>
      instruments.outcomes.inc({ channel, call, outcome, code })

    return async <Outcome extends SubmitOutcome | PollOutcome>(
      make: () => Promise<Outcome>,
    ): Promise<Outcome> => {
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

  return (channel) => {
    const submit = createCallMeter(channel.name, "submit")
    const poll = createCallMeter(channel.name, "poll")
    return {
      ...toOwnMembers(channel),
      submit: (request) => submit(() => channel.submit(request)),
      poll: (request) => poll(() => channel.poll(request)),
    }
  }
}

function createInstruments(registry: Registry) {
  const registers = [registry]
  return {
    outcomes: new Counter({
      name: "safelight_channel_outcomes_total",
      help: "What calls of channels came to; the code says why they refused, or how they failed.",
      labelNames: ["channel", "call", "outcome", "code"],
      registers,
    }),
    durations: new Histogram({
      name: "safelight_channel_duration_seconds",
      help: "How long calls of channels took, failed ones included.",
      labelNames: ["channel", "call"],
      buckets: CHANNEL_BUCKETS,
      registers,
    }),
    inFlight: new Gauge({
      name: "safelight_channel_calls_in_flight",
      help: "Calls of channels under way.",
      labelNames: ["channel", "call"],
      registers,
    }),
  }
}

/** A careless channel may give a code that is not ours; the number of labels stays bounded all the same. */
function toRefusalCode(outcome: SubmitOutcome | PollOutcome): string {
  if (outcome.kind !== "refused") return ""
  return isFailureCode(outcome.code) ? outcome.code : "unexpected"
}
