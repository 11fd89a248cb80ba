/** The contract of a channel, passed by that of a ComfyUI server, with and without a key of its proxy. */
import assert from "node:assert/strict"
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import type { Channel } from "@safelight/core"
import { describeChannel } from "@safelight/testkit"
import { STUBS } from "@safelight/testkit/stubs"
import { PARAMETERS, WORKFLOWS } from "./comfyui-world.ts"

const KEY = "a-key-of-the-proxy"

for (const given of [{}, { key: KEY }]) {
  const name = "key" in given ? "ComfyUI behind a proxy" : "ComfyUI"
  describeChannel(
    name,
    async () => {
      const stub = (await STUBS["comfyui"]?.({ runMs: 20 })) ?? assert.fail()
      const opened: Channel[] = []
      const open = async (): Promise<Channel> => {
        const options = { workflows: WORKFLOWS, baseUrl: stub.url, ...given }
        const channel = await createComfyUiChannel(options)
        opened.push(channel)
        return channel
      }
      return {
        channel: await open(),
        reopen: open,
        cutOff: async () => stub[Symbol.asyncDispose](),
        countPurchases: () => stub.purchases.length,
        secrets: [KEY],
        async cleanUp() {
          await Promise.all(opened.map(async (channel) => channel.close?.()))
          await stub[Symbol.asyncDispose]()
        },
      }
    },
    { parameters: PARAMETERS },
  )
}
