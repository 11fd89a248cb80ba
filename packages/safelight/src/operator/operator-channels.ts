/**
 * The channels as an operator sees and steers them in a running service: with the functions of the `channels`
 * commands. The configuration was read when the process started; a file that has changed since is not seen.
 */
import type {
  ChannelCheckReport,
  ChannelHour,
  ChannelLimits,
  ChannelView,
  Clock,
  OperatorChannels,
  Storage,
} from "@safelight/core"
import { readStanding, readToldFacts, toChannelViews } from "../channels/channel-views.ts"
import { checkPlanned, type CheckOptions } from "../channels/check-channels.ts"
import { isKnownChannel } from "../channels/known-channels.ts"
import { planChannels, type ChannelPlan } from "../channels/plan-channels.ts"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { toRecorded, type RecordChange } from "./record-changes.ts"
import { createKeptAnswer, type KeptAnswer } from "../kept-answer.ts"

const HOUR_MS = 3_600_000
const SHOWN_HOURS = 24
/** A day's outcomes are put in order for it: 300,000 of them took SQLite 4 to 6 s, while it did nothing else. */
const BELIEVED_MS = 60_000
const PATIENCE_MS = 30_000
/** A provider is asked no more often than this, whoever wants to know, and is given this long to answer. */
const CHECK_BELIEVED_MS = 3_000
const CHECK_PATIENCE_MS = 30_000

type AskedStorage = Pick<
  Storage,
  | "countInFlight"
  | "listChannelHours"
  | "listLeases"
  | "listPausedChannels"
  | "pauseChannel"
  | "resumeChannel"
  | "sumOutcomes"
>

export interface OperatorChannelsOptions extends CheckOptions {
  readonly storage: AskedStorage
  readonly clock: Pick<Clock, "monotonicNow" | "now" | "wait">
  /** Of the channels that this process has, by name. */
  readonly limits: ReadonlyMap<string, ChannelLimits>
  readonly record: RecordChange
}

export function createOperatorChannels(options: OperatorChannelsOptions): OperatorChannels {
  const { clock, configuration, environment, limits, record, storage } = options
  const by = (changedBy: string) => toRecorded(storage, (change) => record(changedBy, change))
  const { channels, models } = configuration
  const checks = new Map<string, KeptAnswer<ChannelCheckReport>>()
  let plans: Promise<readonly ChannelPlan[]> | undefined
  const hours = createKeptAnswer({
    name: "the database",
    clock,
    believedMs: BELIEVED_MS,
    patienceMs: PATIENCE_MS,
    question: () => listHours(storage, clock.now()),
  })

  /** Once, if it does not fail: files of the operator's own are run for it. */
  async function plan(): Promise<readonly ChannelPlan[]> {
    plans ??= planChannels({ channels, models, environment })
    try {
      return await plans
    } catch (error) {
      plans = undefined
      throw error
    }
  }

  async function check(name: string): Promise<ChannelCheckReport | undefined> {
    const planned = await plan()
    const place = planned.findIndex((each) => each.name === name)
    const found = planned[place]
    if (found === undefined) return undefined
    const asked = checks.get(name) ?? keepCheck(found, channels[place], options)
    checks.set(name, asked)
    return asked.ask()
  }

  return {
    async listChannels() {
      const [planned, paused, loads, told, outcomes] = await Promise.all([
        plan(),
        storage.listPausedChannels(),
        storage.countInFlight(),
        readToldFacts(storage),
        hours.ask(),
      ])
      const views = toChannelViews({ plans: planned, paused, loads, ...told, outcomes })
      return views.map((view): ChannelView => ({
        ...view,
        limits: limits.get(view.channel) ?? null,
        hours: outcomes.filter(({ channel }) => channel === view.channel),
      }))
    },
    async pauseChannel(channel, changedBy) {
      if (!(await isKnownChannel(storage, channel, await plan()))) return undefined
      await by(changedBy).pauseChannel({ channel, pausedAt: clock.now() })
      return readStanding(storage, channel)
    },
    async resumeChannel(channel, changedBy) {
      if (!(await isKnownChannel(storage, channel, await plan()))) return undefined
      await by(changedBy).resumeChannel(channel)
      return readStanding(storage, channel)
    },
    checkChannel: check,
  }
}

/** Those of the last 24 that have begun; the clocks of nodes may be ahead of this one. */
function listHours(
  storage: Pick<Storage, "listChannelHours">,
  now: number,
): Promise<readonly ChannelHour[]> {
  const from = (Math.floor(now / HOUR_MS) - SHOWN_HOURS + 1) * HOUR_MS
  return storage.listChannelHours({ from, to: Number.MAX_SAFE_INTEGER })
}

/** One call at a time; one that hangs is the last, and whoever asks is refused meanwhile. */
function keepCheck(
  plan: ChannelPlan,
  settings: ChannelSettings | undefined,
  options: OperatorChannelsOptions,
): KeptAnswer<ChannelCheckReport> {
  return createKeptAnswer({
    name: plan.name,
    clock: options.clock,
    believedMs: CHECK_BELIEVED_MS,
    patienceMs: CHECK_PATIENCE_MS,
    question: () => checkPlanned(plan, settings, options),
  })
}
