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
import { createEncoder } from "./encode-change.ts"
import type { LongReads } from "./long-reads.ts"
import type { Reader } from "./reader.ts"
import type { Writer } from "./writer.ts"

export interface ChannelMethodOptions {
  readonly writer: Writer
  readonly reader: Reader
  readonly longReads: LongReads
  readonly statements: StoreStatements
}

export function createChannelMethods(options: ChannelMethodOptions): ChannelStorage {
  const { longReads, reader, writer } = options
  const { channels } = options.statements
  const { plain } = createEncoder(writer.toNumber)
  return {
    async listPausedChannels() {
      return reader.all<PausedChannelsTable>(channels.listPaused, {}).map(fromPausedChannelRecord)
    },
    async pauseChannel({ channel, pausedAt }) {
      const values = { channel, paused_at: pausedAt }
      await writer.write(plain([{ statement: channels.pause, values }]))
    },
    async resumeChannel(channel) {
      await writer.write(plain([{ statement: channels.resume, values: { channel } }]))
    },
    async countInFlight() {
      const records = await longReads.all<ChannelLoadRecord>(channels.countInFlight, {})
      return records.map(fromLoadRecord)
    },
    async sumOutcomes({ from, to }) {
      const values = { from_at: from, below_at: to }
      const records = await longReads.all<ChannelOutcomesRecord>(channels.sumOutcomes, values)
      return records.map(fromOutcomesRecord)
    },
  }
}
