/**
 * The channels as an operator sees and steers them. The configuration was read when the process started: a file that
 * has changed since is not seen.
 */
import {
  type ChannelCheckReport,
  type ChannelHour,
  type Clock,
  type OperatorChannels,
  type Storage,
} from "@safelight/core"
import { createKeptAnswer, type KeptAnswer } from "../answers/kept-answer.ts"
import type { RecordChange } from "../changes/record-changes.ts"
import {
  readReportedFacts,
  readStanding,
  toChannelViews,
  type ChannelFacts,
  type PlainChannelView,
} from "./channel-views.ts"
import type { ConfiguredChannels } from "./configured-channels.ts"
import { waitUntilEmpty, type DrainOptions } from "./drain-channel.ts"
import { isKnownChannel, listKnownChannels } from "./known-channels.ts"
import { sumLastDay, toDaySums, type DaySums } from "./last-day.ts"

const HOUR_MS = 3_600_000
const SHOWN_HOURS = 24
/** Outcomes of hours that are not summed yet are put in order for it: 300,000 took SQLite 4 to 6 s, while it did nothing else. */
const HOURS_FRESH_MS = 60_000
const HOURS_PATIENCE_MS = 30_000
/** A provider is asked no more often than this, and is given this long to answer. */
const CHECK_FRESH_MS = 3_000
const CHECK_PATIENCE_MS = 30_000

export interface ChannelsOptions {
  readonly storage: Storage
  readonly clock: Pick<Clock, "monotonicNow" | "now" | "wait">
  readonly channels: ConfiguredChannels
  readonly record: RecordChange
}

export interface ChannelDay extends PlainChannelView {
  readonly lastDay: DaySums
}

export interface Channels extends OperatorChannels {
  /** As `listChannels`, with the sums of the last day instead of its hours. */
  listLastDay(): Promise<readonly ChannelDay[]>
  /** The names that `pauseChannel` takes. */
  listNames(): Promise<readonly string[]>
  /**
   * Pauses the channel and waits until it has nothing in flight, or time is up. It stays paused in either case.
   * Resolves to the number of tasks that are left; undefined for an unknown channel.
   */
  drainChannel(
    channel: string,
    options: DrainOptions,
    changedBy: string,
  ): Promise<number | undefined>
}

export function createChannels(options: ChannelsOptions): Channels {
  const { channels, clock, record, storage } = options
  const askCheck = createChecks(options)
  const hours = createKeptAnswer({
    name: "the database",
    clock,
    freshMs: HOURS_FRESH_MS,
    patienceMs: HOURS_PATIENCE_MS,
    question: () => listHours(storage, clock.now()),
  })

  const pauseChannel: Channels["pauseChannel"] = async (channel, changedBy) => {
    if (!(await isKnownChannel(options, channel))) return undefined
    await record(changedBy, { change: "channel-paused", target: channel, account: null })
    await storage.pauseChannel({ channel, pausedAt: clock.now() })
    return readStanding(storage, channel)
  }

  return {
    pauseChannel,
    listNames: () => listKnownChannels(options),
    async listChannels() {
      const facts = await readFacts(options, hours.ask())
      return toChannelViews(facts).map((view) => ({
        ...view,
        hours: facts.outcomes.filter(({ channel }) => channel === view.channel),
      }))
    },
    async listLastDay() {
      const facts = await readFacts(options, sumLastDay(storage, clock.now()))
      return toChannelViews(facts).map((view) => ({
        ...view,
        lastDay: toDaySums(view.channel, facts.outcomes),
      }))
    },
    async resumeChannel(channel, changedBy) {
      if (!(await isKnownChannel(options, channel))) return undefined
      await record(changedBy, { change: "channel-resumed", target: channel, account: null })
      await storage.resumeChannel(channel)
      return readStanding(storage, channel)
    },
    async drainChannel(channel, drain, changedBy) {
      if ((await pauseChannel(channel, changedBy)) === undefined) return undefined
      return waitUntilEmpty(storage, clock, channel, drain)
    },
    async checkChannel(name) {
      const configured = await channels.list()
      return configured.some((each) => each.name === name) ? askCheck(name) : undefined
    },
  }
}

async function readFacts<Outcome extends { readonly channel: string }>(
  { channels, storage }: ChannelsOptions,
  outcomesAsked: Promise<readonly Outcome[]>,
): Promise<Omit<ChannelFacts, "outcomes"> & { readonly outcomes: readonly Outcome[] }> {
  const [configured, paused, loads, reported, outcomes] = await Promise.all([
    channels.list(),
    storage.listPausedChannels(),
    storage.countInFlight(),
    readReportedFacts(storage),
    outcomesAsked,
  ])
  return { configured, paused, loads, ...reported, outcomes }
}

/** One call a channel at a time; while one hangs, every caller is refused and no other is made. */
function createChecks({
  channels,
  clock,
}: Pick<ChannelsOptions, "channels" | "clock">): (name: string) => Promise<ChannelCheckReport> {
  const checks = new Map<string, KeptAnswer<ChannelCheckReport>>()
  const times = { freshMs: CHECK_FRESH_MS, patienceMs: CHECK_PATIENCE_MS }
  return (name) => {
    const question = (): Promise<ChannelCheckReport> => channels.check(name)
    const asked = checks.get(name) ?? createKeptAnswer({ name, clock, ...times, question })
    checks.set(name, asked)
    return asked.ask()
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
