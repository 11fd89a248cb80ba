/** The contract of a channel, passed by that of another Safelight, against a real one. */
import { describeChannel, type ChannelFixture } from "@safelight/testkit"
import { openSafelightWorld } from "./safelight-world.ts"

async function createFixture(): Promise<ChannelFixture> {
  const world = await openSafelightWorld()
  return {
    channel: world.openChannel(),
    reopen: () => world.openChannel(),
    cutOff: () => world.service.stop(),
    countPurchases: world.countTasks,
    secrets: [world.key],
    cleanUp: async () => world[Symbol.asyncDispose](),
  }
}

describeChannel("safelight", createFixture)
