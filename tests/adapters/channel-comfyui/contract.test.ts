/** The contract of a channel, passed by that of a ComfyUI server: bare, behind a proxy with a key, with partner nodes. */
import assert from "node:assert/strict"
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import type { Channel } from "@safelight/core"
import { describeChannel, type ChannelFixture } from "@safelight/testkit"
import { STUBS } from "@safelight/testkit/stubs"
import { PARAMETERS, WORKFLOWS } from "./comfyui-world.ts"

const KEY = "a-key-of-the-proxy"
const PARTNER_KEY = "comfyui-5f2c-of-a-partner"

async function open(given: object, secret: string): Promise<ChannelFixture> {
  const stub = (await STUBS["comfyui"]?.({ runMs: 20 })) ?? assert.fail()
  const opened: Channel[] = []
  const reopen = async (): Promise<Channel> => {
    const options = { workflows: WORKFLOWS, baseUrl: stub.url, ...given }
    const channel = await createComfyUiChannel(options)
    opened.push(channel)
    return channel
  }
  return {
    channel: await reopen(),
    reopen,
    cutOff: async () => stub[Symbol.asyncDispose](),
    countPurchases: () => stub.purchases.length,
    secrets: [secret],
    async cleanUp() {
      await Promise.all(opened.map(async (channel) => channel.close?.()))
      await stub[Symbol.asyncDispose]()
    },
  }
}

describeChannel("ComfyUI", () => open({}, KEY), { parameters: PARAMETERS })

describeChannel("ComfyUI behind a proxy", () => open({ key: KEY }, KEY), {
  parameters: PARAMETERS,
})

describeChannel(
  "ComfyUI with partner nodes",
  () => open({ partnerKey: PARTNER_KEY }, PARTNER_KEY),
  {
    parameters: PARAMETERS,
    divergences: [
      {
        test: "a key that is looked up is found once it was sent, and not before",
        reason: "a restart forgets prompts, so none can be proved not to have been there",
      },
    ],
  },
)
