/** The contract of a channel, passed by every provider that is declared, against its stub. */
import assert from "node:assert/strict"
import { createHttpChannel, PROVIDERS, type Provider } from "@safelight/channel-http"
import { imageEdit, referenceToVideo, type Channel } from "@safelight/core"
import {
  describeChannel,
  type ChannelContractOptions,
  type ChannelFixture,
} from "@safelight/testkit"
import { STUBS } from "@safelight/testkit/stubs"
import { openWebhookListener, type WebhookListener } from "./webhook-listener.ts"

const WEBHOOK_SECRET = `whsec_${Buffer.from("contract of webhooks").toString("base64")}`
const KEY = "contract-key-id:contract-secret"

const EDIT = { prompt: "in fog", image_urls: ["data:image/png;base64,AAAA"] }

/** By the provider's name: what it takes where the samples are nothing for it. */
const PARAMETERS: Readonly<Record<string, ChannelContractOptions["parameters"]>> = {
  "black-forest-labs": { [imageEdit.id]: { ...EDIT, aspect_ratio: "1:1" } },
  higgsfield: {
    [referenceToVideo.id]: {
      prompt: "waves at night",
      duration: 4,
      image_urls: ["https://media.example/1.png"],
    },
  },
}

async function createFixture(provider: Provider): Promise<ChannelFixture> {
  const start = STUBS[provider.name] ?? assert.fail(`${provider.name} has no stub`)
  const stub = await start({ queueMs: 0, runMs: 20, webhookSecret: WEBHOOK_SECRET })
  const opened: Channel[] = []
  const listeners: WebhookListener[] = []
  const isUnstated = provider.submission.kind === "keyed-unstated"
  const more = isUnstated ? { keyTtlMs: 3_600_000 } : {}
  const open = (): Channel => {
    const own = { key: KEY, baseUrl: stub.url, webhookSecret: WEBHOOK_SECRET }
    const channel = createHttpChannel({ provider, ...own, ...more })
    opened.push(channel)
    return channel
  }
  return {
    channel: open(),
    reopen: open,
    cutOff: async () => stub[Symbol.asyncDispose](),
    countPurchases: () => stub.purchases.length,
    async listen() {
      const listener = await openWebhookListener()
      listeners.push(listener)
      return listener
    },
    secrets: [KEY, "contract-secret", WEBHOOK_SECRET],
    async cleanUp() {
      await Promise.all(opened.map(async (channel) => channel.close?.()))
      await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()))
      await stub[Symbol.asyncDispose]()
    },
  }
}

/** A real one is at hand in its stead: `safelight-contract.test.ts`. */
const STUBBED = Object.values(PROVIDERS).filter(({ name }) => name !== "safelight")

for (const provider of STUBBED) {
  const parameters = PARAMETERS[provider.name]
  const options = parameters === undefined ? {} : { parameters }
  describeChannel(provider.name, () => createFixture(provider), options)
}
