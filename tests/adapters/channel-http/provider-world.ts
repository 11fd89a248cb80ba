/**
 * A provider's channel pointed at its stub, and what is asked of every such channel. A test file opens
 * one world, and says itself only what is its provider's own.
 */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import {
  createHttpChannel,
  type HttpChannelOptions,
  type Provider,
  type Reply,
} from "@safelight/channel-http"
import type { Channel, ChannelRequest, Json, PollOutcome, SubmitOutcome } from "@safelight/core"
import {
  STUBS,
  type RunningStub,
  type StubFaults,
  type StubPurchase,
} from "@safelight/testkit/stubs"
import { createSampleInputs } from "@safelight/testkit"

export interface ProviderWorld {
  readonly provider: Provider
  readonly stub: RunningStub
  readonly channel: Channel
  /** With an upstream key of its own. */
  toRequest(model: string, parameters: object): ChannelRequest
  /** What was bought last. */
  bought(): StubPurchase
  /** Polls until the work is over. */
  follow(request: ChannelRequest, submitted: SubmitOutcome): Promise<PollOutcome>
  /** Submits and follows. */
  carryOut(request: ChannelRequest): Promise<PollOutcome>
  /** Submits with faults; to the outcome without words, or the code of the error, and how much was bought. */
  buyWith(
    faults: Partial<StubFaults>,
    request: ChannelRequest,
  ): Promise<readonly [outcome: unknown, bought: number]>
}

/** Longer than any test takes, but for what is slow on purpose. */
const TIMEOUT_MS = 10_000
const SLOW_MS = 2_000

/** Closed after the tests of the file. */
export async function openProviderWorld(
  provider: Provider,
  key = "key",
  more: Pick<HttpChannelOptions, "keyTtlMs"> = {},
): Promise<ProviderWorld> {
  const start = STUBS[provider.name] ?? assert.fail(`${provider.name} has no stub`)
  const stub = await start({ queueMs: 0, runMs: 0, slowMs: SLOW_MS })
  const channel = createHttpChannel({ provider, key, baseUrl: stub.url, ...more })
  after(async () => {
    await channel.close?.()
    await stub[Symbol.asyncDispose]()
  })
  let keys = 0

  const world: ProviderWorld = {
    provider,
    stub,
    channel,
    toRequest(model, parameters) {
      keys += 1
      const own = { task: "task", account: "account", upstreamKey: `task.${keys}` }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const inputs = createSampleInputs()
      const asked = parameters as ChannelRequest["parameters"]
      return { ...own, model, inputs, parameters: asked, signal }
    },
    bought: () => stub.purchases.at(-1) ?? assert.fail("nothing was bought"),
    async follow(request, submitted) {
      if (submitted.kind === "completed" || submitted.kind === "refused") return submitted
      assert.ok(submitted.kind === "accepted", JSON.stringify(submitted))
      const { operation } = submitted
      for (;;) {
        const outcome = await channel.poll({ ...request, operation, progress: 0 })
        if (outcome.kind !== "running") return outcome
      }
    },
    carryOut: async (request) => world.follow(request, await channel.submit(request)),
    async buyWith(faults, request) {
      const before = stub.purchases.length
      stub.setFaults(faults)
      try {
        const outcome = await channel.submit(request).then(withoutWords, (error: unknown) => {
          return (error as { readonly code?: string }).code
        })
        return [outcome, stub.purchases.length - before]
      } finally {
        stub.setFaults({})
      }
    },
  }
  return world
}

/** After which the purchase is in doubt, and what the engine is told. */
const LOST_ANSWERS: readonly (readonly [NonNullable<StubFaults["create"]>, string])[] = [
  ["reset", "channel-unavailable"],
  ["server-error", "channel-answer-invalid"],
  ["gateway-error", "channel-answer-invalid"],
  ["html", "channel-answer-invalid"],
  ["empty", "channel-answer-invalid"],
  ["truncated", "channel-answer-invalid"],
  ["redirect", "channel-answer-invalid"],
]

/** What holds of a purchase at every provider; where keys are honoured, that a repeat buys nothing. */
export function describePurchase(world: ProviderWorld, toPurchase: () => ChannelRequest): void {
  const { channel, provider, stub } = world
  const isKeyed = channel.submission.kind === "keyed"

  async function checkDoubt(
    create: NonNullable<StubFaults["create"]>,
    code: string,
    request: ChannelRequest,
  ): Promise<void> {
    assert.deepEqual(await world.buyWith({ create }, request), [code, 1])
    if (!isKeyed) return
    const { id } = world.bought()
    const repeat = { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) }
    const [outcome, bought] = await world.buyWith({}, repeat)
    assert.equal(bought, 0)
    assert.ok(JSON.stringify(outcome).includes(id), JSON.stringify(outcome))
  }

  describe(`a purchase at ${provider.name}, as at every provider,`, () => {
    const outcome = isKeyed ? "found by its key" : "in doubt"
    for (const [create, code] of LOST_ANSWERS) {
      it(`is sent once and ${outcome} where its answer is lost: ${create}`, async () => {
        await checkDoubt(create, code, toPurchase())
      })
    }

    it(`is sent once and ${outcome} where its answer takes too long`, async () => {
      const request = { ...toPurchase(), signal: AbortSignal.timeout(SLOW_MS / 5) }
      await checkDoubt("slow", "aborted", request)
    })

    it("was not made where there is no room, and waits as long as it is told", async () => {
      const busy = { kind: "busy", reason: "provider_busy" }
      for (const create of ["busy", "busy-seconds", "busy-date"] as const) {
        const [told, bought] = await world.buyWith({ create }, toPurchase())
        const { retryAfterMs, ...rest } = told as { readonly retryAfterMs?: number }
        assert.deepEqual([rest, bought], [busy, 0])
        // Without a header some tell it in the body.
        assert.ok(create === "busy" || (retryAfterMs ?? 0) > 0)
      }
    })

    it("was not made where nobody listens, or the key is wrong", async () => {
      const nobody = createHttpChannel({ provider, key: "key", baseUrl: "http://127.0.0.1:1" })
      const unreachable = { kind: "not-created", reason: "unreachable" }
      assert.deepEqual(await nobody.submit(toPurchase()), unreachable)
      const wrong = createHttpChannel({ provider, key: "invalid", baseUrl: stub.url })
      const refused = await wrong.submit(toPurchase())
      assert.ok(refused.kind === "not-created", JSON.stringify(refused))
      assert.match(refused.reason, /^provider_answered_40[13]$/)
      await Promise.all([nobody.close?.(), wrong.close?.()])
    })
  })
}

/** Polls that tell nothing of the work, which is asked for again. */
const SILENT_POLLS = [
  "reset",
  "server-error",
  "gateway-error",
  "html",
  "empty",
  "truncated",
  "redirect",
  "not-found",
  "busy",
] as const

/** What holds of work that is polled for at every provider. */
export function describeWork(world: ProviderWorld, toPurchase: () => ChannelRequest): void {
  const { channel, provider, stub } = world
  describe(`work at ${provider.name}, as at every provider,`, () => {
    for (const poll of SILENT_POLLS) {
      it(`is asked for again where an answer tells nothing: ${poll}`, async () => {
        const request = toPurchase()
        const submitted = await channel.submit(request)
        stub.setFaults({ poll })
        await assert.rejects(world.follow(request, submitted), { retryable: true })
        stub.setFaults({})
        assert.equal((await world.follow(request, submitted)).kind, "completed")
      })
    }

    it("is asked for again where the key is not taken any more", async () => {
      const request = toPurchase()
      const submitted = await channel.submit(request)
      assert.ok(submitted.kind === "accepted")
      const wrong = createHttpChannel({ provider, key: "invalid", baseUrl: stub.url })
      const { operation } = submitted
      const asked = wrong.poll({ ...request, operation, progress: 0 })
      await assert.rejects(asked, { retryable: true })
      await wrong.close?.()
    })
  })
}

/** How work ends, by the stub's own fault that brings it about. */
export function describeEnds(
  world: ProviderWorld,
  toPurchase: () => ChannelRequest,
  ends: Readonly<Record<string, object>>,
): void {
  describe(`work at ${world.provider.name}`, () => {
    for (const [fault, expected] of Object.entries(ends)) {
      it(`ends as the provider says: ${fault}`, async () => {
        world.stub.setFaults({ own: [fault] })
        const outcome = await world.carryOut(toPurchase()).finally(() => world.stub.setFaults({}))
        assert.deepEqual(withoutWords(outcome), expected)
      })
    }
  })
}

/** That a request is taken, and that it is not with each of the changes, for the parameter named. */
export function describeEligibility(
  channel: Channel,
  model: string,
  taken: object,
  changes: readonly (readonly [param: string, change: object])[],
): void {
  const accepts = (parameters: object) =>
    channel.accepts?.({ model, parameters: parameters as ChannelRequest["parameters"] })

  describe(`${model} at ${channel.name}`, () => {
    it("is taken where all of it can be said", () => assert.equal(accepts(taken), true))
    for (const [param, change] of changes) {
      it(`is not taken with ${JSON.stringify(change).slice(0, 60)}`, () => {
        const answer = accepts({ ...taken, ...change })
        assert.ok(typeof answer === "object")
        assert.deepEqual([answer.kind, answer.param], ["ineligible", param])
        assert.ok(answer.reason !== "")
      })
    }
  })
}

/** A request that a channel must leave to others, and the parameter that it has to name. */
export type Inexpressible = readonly [param: string, model: string, parameters: object]

/** Tests of a block: none of these requests is taken. */
export function itTakesNoneOf(
  { channel, toRequest }: ProviderWorld,
  refused: readonly Inexpressible[],
  toName = (...[, , parameters]: Inexpressible): string => JSON.stringify(parameters),
): void {
  for (const [param, model, parameters] of refused) {
    it(`take no request with what can't be expressed: ${toName(param, model, parameters)}`, () => {
      const verdict = channel.accepts?.(toRequest(model, parameters))
      assert.ok(typeof verdict === "object" && verdict.kind === "ineligible")
      assert.equal(verdict.param, param)
    })
  }
}

/** An answer for a declaration's pure functions. */
export function toReply(status: number, json?: Json, headers: Reply["headers"] = {}): Reply {
  return { status, headers, json, retryAfterMs: undefined }
}

/** A provider's words are for people, and not fixed. */
export function withoutWords(outcome: PollOutcome | SubmitOutcome): object {
  if (!("providerWords" in outcome)) return outcome
  const { providerWords: _words, ...told } = outcome
  return told
}

/** Turned away, for a reason that its operator can mend. */
export function turnedAway(reason: string): object {
  return { kind: "not-created", reason, needsOperator: true }
}

/** Fetches each output by its URL, as the engine does; to the types of the answers. */
export async function fetchTypes(outcome: PollOutcome): Promise<readonly string[]> {
  assert.ok(outcome.kind === "completed", JSON.stringify(outcome))
  const types = outcome.outputs.map(async (output) => {
    assert.ok("url" in output)
    const answer = await fetch(output.url)
    await answer.body?.cancel()
    assert.equal(answer.status, 200)
    return answer.headers.get("content-type") ?? ""
  })
  return Promise.all(types)
}
