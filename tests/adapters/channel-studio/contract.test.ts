/** The contract of a channel, passed by the studio: a restart is a studio without any memory. */
import { createStudioChannel } from "@safelight/channel-studio"
import type { Channel } from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createMediaInspector } from "@safelight/media-inspector"
import { describeChannel, type ChannelFixture } from "@safelight/testkit"

async function createFixture(): Promise<ChannelFixture> {
  const opened: Channel[] = []
  const inspector = createMediaInspector()
  const open = (): Channel => {
    const channel = createStudioChannel({ media: createGuardedFetch(), inspector, workers: 1 })
    opened.push(channel)
    return channel
  }
  return {
    channel: open(),
    reopen: open,
    async cleanUp() {
      await Promise.all(opened.map(async (channel) => channel.close?.()))
    },
  }
}

describeChannel("the studio", createFixture)
