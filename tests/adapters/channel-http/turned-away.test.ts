/** What only a channel's operator can mend: each provider's words for it, and that no key is among them. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import {
  createHttpChannel,
  defineProvider,
  type Provider,
  PROVIDERS,
} from "@safelight/channel-http"
import {
  referenceToVideo,
  textToImage,
  type Channel,
  type Json,
  type NotCreated,
} from "@safelight/core"
import { STUBS } from "@safelight/testkit/stubs"
import { openAnswered } from "./open-answered.ts"
import { PICTURE, toRequest } from "./provider-world.ts"

const {
  ark,
  blackForestLabs,
  comfyRouter,
  fal,
  gemini,
  higgsfield,
  kling,
  openai,
  replicate,
  runware,
  stability,
  xai,
} = PROVIDERS

const KEY = "key-id-1234:key-secret-5678"
const FILM = { prompt: "waves", image_urls: ["data:image/png;base64,AAAA"] }
const OUT_OF_MONEY = "provider_out_of_money"

const toPicture = () => toRequest(textToImage.id, PICTURE)

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
  [kling, "no-credits", OUT_OF_MONEY, /^Account balance not enough$/],
  [kling, "no-access", "provider_answered_403", /^Unauthorized access/],
  [openai, "no-quota", OUT_OF_MONEY, /^insufficient_quota: /],
  [replicate, "no-credits", OUT_OF_MONEY, /^Insufficient credit$/],
  [runware, "no-credits", OUT_OF_MONEY, /^insufficientCredits: /],
  [stability, "no-credits", OUT_OF_MONEY, /^You lack sufficient credits/],
  [xai, "no-credits", OUT_OF_MONEY, /used all available credits/],
]

function answer(
  t: TestContext,
  status: number,
  json?: Json,
  provider: Provider = fal,
): Promise<Channel> {
  return openAnswered(t, provider, [status, json ?? ""], KEY)
}

describe("a purchase that a provider turns away", () => {
  for (const [provider, fault, reason, words] of AWAY) {
    it(`needs the operator, and says why in its words: ${provider.name}, ${fault}`, async () => {
      const start = STUBS[provider.name] ?? assert.fail("it has no stub")
      await using stub = await start({ queueMs: 0, runMs: 0 })
      stub.setFaults({ own: [fault] })
      const channel = createHttpChannel({ provider, key: KEY, baseUrl: stub.url })
      const isPainter = [ark, gemini, higgsfield, kling, xai].every((other) => other !== provider)
      const request = isPainter ? toPicture() : toRequest(referenceToVideo.id, FILM)
      const outcome = (await channel.submit(request)) as NotCreated
      assert.deepEqual(
        [outcome.kind, outcome.reason, outcome.needsOperator],
        ["not-created", reason, true],
      )
      assert.match(outcome.providerWords ?? "", words)
      await channel.close?.()
    })
  }

  it("needs the operator where it says nothing, too", async (t) => {
    for (const status of [401, 403, 404]) {
      const channel = await answer(t, status)
      assert.deepEqual(await channel.submit(toPicture()), {
        kind: "not-created",
        reason: `provider_answered_${status}`,
        needsOperator: true,
      })
    }
  })

  it("has words that the channel clears of the key and its parts, and so has a refusal", async (t) => {
    const words = `the key ${KEY} with key-secret-5678 of key-id-1234 is wrong`
    for (const status of [401, 422]) {
      const channel = await answer(t, status, { detail: words })
      const outcome = await channel.submit(toPicture())
      assert.ok("providerWords" in outcome, JSON.stringify(outcome))
      const hidden = channel.hideSecrets?.(outcome.providerWords ?? "")
      assert.equal(hidden, "the key … with … of … is wrong")
    }
  })

  it("needs the operator where a code says so by another status", async (t) => {
    const error = { code: "billing_hard_limit_reached", message: "Pay first" }
    const channel = await answer(t, 400, { error }, openai)
    assert.deepEqual(await channel.submit(toPicture()), {
      kind: "not-created",
      reason: OUT_OF_MONEY,
      needsOperator: true,
      providerWords: "billing_hard_limit_reached: Pay first",
    })
  })

  it("needs the operator where an upload before it is turned away", async (t) => {
    const channel = await answer(t, 402, { detail: "Insufficient credit" }, replicate)
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

  it("is none where the request itself speaks of money", async (t) => {
    const [detail] = [[{ msg: "the prompt 'exhausted balance' is too short", type: "too_short" }]]
    const channel = await answer(t, 422, { detail })
    assert.equal((await channel.submit(toPicture())).kind, "refused")
  })

  it("is read alike for a declaration of one's own", async (t) => {
    const own = defineProvider({ ...fal, name: "own", readCreate: () => undefined })
    const channel = await answer(t, 402, { message: "Pay first" }, own)
    assert.deepEqual(await channel.submit(toPicture()), {
      kind: "not-created",
      reason: OUT_OF_MONEY,
      needsOperator: true,
      providerWords: "Pay first",
    })
  })
})

describe("a poll that a provider turns away", () => {
  it("fails with the provider's words, without the key", async (t) => {
    const channel = await answer(t, 403, { detail: `User ${KEY} is locked` })
    const operation = { id: "1", state: "/state", result: "/result", cancel: null }
    await assert.rejects(channel.poll({ ...toPicture(), operation, progress: 0 }), {
      code: "channel-unavailable",
      message: "fal does not report the state of the work (403: User … is locked)",
    })
  })
})
