/** Where SQL meets what core says of channels. A channel that was counted is JSON text. */
import type { ChannelLoad, ChannelOutcomes, Outcomes, PausedChannel } from "@safelight/core"
import type { PausedChannelsTable } from "./database.ts"

export interface ChannelLoadRecord {
  /** As JSON. */
  readonly channel: string
  readonly tasks: number
}

export interface ChannelOutcomesRecord {
  /** As JSON; null for tasks that no channel was asked for. */
  readonly channel: string | null
  readonly looked_at: number
  readonly succeeded: number
  readonly failed: number
  readonly charge_micros: number
}

export function fromPausedChannelRecord(record: PausedChannelsTable): PausedChannel {
  return { channel: record.channel, pausedAt: record.paused_at }
}

export function fromLoadRecord({ channel, tasks }: ChannelLoadRecord): ChannelLoad {
  return { channel: JSON.parse(channel) as string, tasks }
}

/** `limit`: how many tasks might have been looked at. */
export function toOutcomes(records: readonly ChannelOutcomesRecord[], limit: number): Outcomes {
  const lookedAt = records.reduce((sum, each) => sum + each.looked_at, 0)
  return {
    channels: records.flatMap(({ channel, ...record }): ChannelOutcomes[] => {
      const { charge_micros: chargeMicros, failed, succeeded } = record
      if (channel === null || succeeded + failed === 0) return []
      return [{ channel: JSON.parse(channel) as string, succeeded, failed, chargeMicros }]
    }),
    isWhole: lookedAt < limit,
  }
}
