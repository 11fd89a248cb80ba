/** The provider passes the contract of channels: `node --test my-provider.test.ts`. */
import { createHttpChannel } from "@safelight/channel-http"
import { describeChannel } from "@safelight/testkit"
import { STUBS } from "@safelight/testkit/stubs"
import provider from "./my-provider.ts"

const KEY = "tk-7f3a91"

describeChannel("my provider", async () => {
  const stub = await STUBS["fal"]!()
  const open = () => createHttpChannel({ provider, key: KEY, baseUrl: stub.url })
  const cleanUp = async () => stub[Symbol.asyncDispose]()
  return {
    channel: open(),
    reopen: open,
    countPurchases: () => stub.purchases.length,
    cutOff: cleanUp,
    secrets: [KEY],
    cleanUp,
  }
})
