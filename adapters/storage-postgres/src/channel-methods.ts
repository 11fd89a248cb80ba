/** Pauses of channels, and what tasks tell of them. */
import type { ChannelStorage } from "@safelight/core"
import {
  fromLoadRecord,
  fromOutcomesRecord,
  fromPausedChannelRecord,
  type ChannelLoadRecord,
  type ChannelOutcomesRecord,
  type PausedChannelsTable,
  type StoreStatements,
} from "@safelight/store"
import type { Sessions } from "./sessions.ts"
import type { Sums } from "./sums.ts"

export interface ChannelParts {
  readonly sessions: Sessions
  /** Nothing else may hold up what goes before each look at the queue. */
  readonly claiming: Sessions
  readonly sums: Sums
}

export function createChannelMethods(
  { claiming, sessions, sums }: ChannelParts,
  { channels }: StoreStatements,
): ChannelStorage {
  return {
    async listPausedChannels() {
      const records = await claiming.read<PausedChannelsTable>(channels.listPaused, {})
      return records.map(fromPausedChannelRecord)
    },
    async pauseChannel({ channel, pausedAt }) {
      await sessions.change(channels.pause, { channel, paused_at: pausedAt })
    },
    async resumeChannel(channel) {
      await sessions.change(channels.resume, { channel })
    },
    async countInFlight() {
      const records = await sums.read<ChannelLoadRecord>(channels.countInFlight, {})
      return records.map(fromLoadRecord)
    },
    async sumOutcomes({ from, to }) {
      const values = { from_at: from, below_at: to }
      const records = await sums.read<ChannelOutcomesRecord>(channels.sumOutcomes, values)
      return records.map(fromOutcomesRecord)
    },
  }
}
