/** What only a channel's operator can mend: each provider's words for it, and that no key is among them. */
import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, describe, it } from "node:test"
import {
  createHttpChannel,
  defineProvider,
  type Provider,
  PROVIDERS,
} from "@safelight/channel-http"
import {
  referenceToVideo,
  textToImage,
  type ChannelRequest,
  type Json,
  type NotCreated,
} from "@safelight/core"
import { STUBS } from "@safelight/testkit/stubs"
import { createSampleInputs } from "@safelight/testkit"

const {
  ark,
  blackForestLabs,
  comfyRouter,
  fal,
  gemini,
  higgsfield,
  openai,
  replicate,
  runware,
  xai,
} = PROVIDERS

const KEY = "key-id-1234:key-secret-5678"
const PICTURE = { prompt: "fog", size: "square_hd", enable_safety_checker: true, colors: [] }
const FILM = { prompt: "waves", image_urls: ["data:image/png;base64,AAAA"] }
const OUT_OF_MONEY = "provider_out_of_money"

function toRequest(model: string, parameters: object = PICTURE): ChannelRequest {
  return {
    task: "task",
    account: "account",
    model,
    parameters: parameters as ChannelRequest["parameters"],
    upstreamKey: "task.1",
    inputs: createSampleInputs(),
    signal: AbortSignal.timeout(10_000),
  }
}

/** By the stub's own fault. */
const AWAY: readonly (readonly [
  provider: Provider,
  fault: string,
  reason: string,
  words: RegExp,
])[] = [
  [ark, "overdue", OUT_OF_MONEY, /^AccountOverdueError: /],
  [ark, "not-open", "provider_answered_404", /^ModelNotOpen: /],
  [blackForestLabs, "no-credits", OUT_OF_MONEY, /credits/i],
  [comfyRouter, "no-credits", OUT_OF_MONEY, /./],
  [comfyRouter, "not-enabled", "provider_answered_403", /./],
  [fal, "no-balance", OUT_OF_MONEY, /^User is locked\. Reason: Exhausted balance\./],
  [gemini, "no-credits", OUT_OF_MONEY, /prepayment credits are depleted/],
  [higgsfield, "no-credits", OUT_OF_MONEY, /^Not enough credits$/],
  [openai, "no-quota", OUT_OF_MONEY, /^insufficient_quota: /],
  [replicate, "no-credits", OUT_OF_MONEY, /^Insufficient credit$/],
  [runware, "no-credits", OUT_OF_MONEY, /^insufficientCredits: /],
  [xai, "no-credits", OUT_OF_MONEY, /used all available credits/],
]

/** The provider's channel at the answer of a server of ours. */
async function answer(status: number, json: Json | undefined, provider: Provider = fal) {
  const server = createServer((asked, response) => {
    asked.resume()
    response.writeHead(status).end(json === undefined ? "" : JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const channel = createHttpChannel({ provider, key: KEY, baseUrl: `http://127.0.0.1:${port}` })
  after(async () => {
    await channel.close?.()
    server.close()
  })
  return channel
}

describe("a purchase that a provider turns away", () => {
  for (const [provider, fault, reason, words] of AWAY) {
    it(`needs the operator, and says why in its words: ${provider.name}, ${fault}`, async () => {
      const start = STUBS[provider.name] ?? assert.fail("it has no stub")
      await using stub = await start({ queueMs: 0, runMs: 0 })
      stub.setFaults({ own: [fault] })
      const channel = createHttpChannel({ provider, key: KEY, baseUrl: stub.url })
      const isPainter = [ark, gemini, higgsfield, xai].every((other) => other !== provider)
      const request = isPainter ? toRequest(textToImage.id) : toRequest(referenceToVideo.id, FILM)
      const outcome = (await channel.submit(request)) as NotCreated
      assert.deepEqual(
        [outcome.kind, outcome.reason, outcome.needsOperator],
        ["not-created", reason, true],
      )
      assert.match(outcome.providerWords ?? "", words)
      await channel.close?.()
    })
  }

  it("needs the operator where it says nothing, too", async () => {
    for (const status of [401, 403, 404]) {
      const channel = await answer(status, undefined)
      assert.deepEqual(await channel.submit(toRequest(textToImage.id)), {
        kind: "not-created",
        reason: `provider_answered_${status}`,
        needsOperator: true,
      })
    }
  })

  it("has words that the channel clears of the key and its parts, and so has a refusal", async () => {
    const words = `the key ${KEY} with key-secret-5678 of key-id-1234 is wrong`
    for (const status of [401, 422]) {
      const channel = await answer(status, { detail: words })
      const outcome = await channel.submit(toRequest(textToImage.id))
      assert.ok("providerWords" in outcome, JSON.stringify(outcome))
      const hidden = channel.hideSecrets?.(outcome.providerWords ?? "")
      assert.equal(hidden, "the key … with … of … is wrong")
    }
  })

  it("needs the operator where a code says so by another status", async () => {
    const error = { code: "billing_hard_limit_reached", message: "Pay first" }
    const channel = await answer(400, { error }, openai)
    assert.deepEqual(await channel.submit(toRequest(textToImage.id)), {
      kind: "not-created",
      reason: OUT_OF_MONEY,
      needsOperator: true,
      providerWords: "billing_hard_limit_reached: Pay first",
    })
  })

  it("needs the operator where an upload before it is turned away", async () => {
    const channel = await answer(402, { detail: "Insufficient credit" }, replicate)
    const image = `data:image/png;base64,${"A".repeat(80_000)}`
    assert.deepEqual(
      await channel.submit(toRequest(referenceToVideo.id, { ...FILM, image_urls: [image] })),
      {
        kind: "not-created",
        reason: OUT_OF_MONEY,
        needsOperator: true,
        providerWords: "Insufficient credit",
      },
    )
  })

  it("is none where the request itself speaks of money", async () => {
    const [detail] = [[{ msg: "the prompt 'exhausted balance' is too short", type: "too_short" }]]
    const channel = await answer(422, { detail })
    assert.equal((await channel.submit(toRequest(textToImage.id))).kind, "refused")
  })

  it("is read alike for a declaration of one's own", async () => {
    const own = defineProvider({ ...fal, name: "own", readCreate: () => undefined })
    const channel = await answer(402, { message: "Pay first" }, own)
    assert.deepEqual(await channel.submit(toRequest(textToImage.id)), {
      kind: "not-created",
      reason: OUT_OF_MONEY,
      needsOperator: true,
      providerWords: "Pay first",
    })
  })
})

describe("a poll that a provider turns away", () => {
  it("fails with the provider's words, without the key", async () => {
    const channel = await answer(403, { detail: `User ${KEY} is locked` })
    const operation = { id: "1", state: "/state", result: "/result", cancel: null }
    await assert.rejects(channel.poll({ ...toRequest(textToImage.id), operation, progress: 0 }), {
      code: "channel-unavailable",
      message: "fal does not say how the work stands (403: User … is locked)",
    })
  })
})
