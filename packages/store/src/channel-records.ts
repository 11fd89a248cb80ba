/** Where SQL meets what core says of channels. A channel that was counted is JSON text. */
import type { ChannelLoad, ChannelOutcomes, PausedChannel } from "@safelight/core"
import type { PausedChannelsTable } from "./database.ts"

export interface ChannelLoadRecord {
  /** As JSON. */
  readonly channel: string
  readonly tasks: number
}

/** Rows of `outcomes` added up. */
export interface ChannelOutcomesRecord {
  readonly channel: string
  readonly model: string
  readonly succeeded: number
  readonly failed: number
  readonly charge_micros: number
  readonly told_micros: number
  readonly computed_micros: number
  readonly unknown: number
  readonly succeeded_ms: number
  readonly longest_ms: number
}

export function fromPausedChannelRecord(record: PausedChannelsTable): PausedChannel {
  return { channel: record.channel, pausedAt: record.paused_at }
}

export function fromLoadRecord({ channel, tasks }: ChannelLoadRecord): ChannelLoad {
  return { channel: JSON.parse(channel) as string, tasks }
}

export function fromOutcomesRecord(record: ChannelOutcomesRecord): ChannelOutcomes {
  return {
    channel: record.channel,
    model: record.model,
    succeeded: record.succeeded,
    failed: record.failed,
    chargeMicros: record.charge_micros,
    toldMicros: record.told_micros,
    computedMicros: record.computed_micros,
    unknown: record.unknown,
    succeededMs: record.succeeded_ms,
    longestMs: record.longest_ms,
  }
}
