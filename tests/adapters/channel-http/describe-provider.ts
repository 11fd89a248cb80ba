/**
 * The frame of every provider's tests: what holds for the channel of each of them, and the facts of one in tables.
 * A provider's test file holds only what is its own beside them.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, type Provider } from "@safelight/channel-http"
import type { ChannelRequest, Json } from "@safelight/core"
import type { StubFaults } from "@safelight/testkit/stubs"
import {
  SLOW_MS,
  TIMEOUT_MS,
  toReply,
  withoutWords,
  type ProviderWorld,
  type ToRequest,
} from "./provider-world.ts"

/** Named by their requests in the world. */
type Kind = "picture" | "edit" | "film"

/** What a provider's test file says of its channel. */
export interface ProviderFacts {
  /** Purchases that are tried with every lost answer. */
  readonly purchases: readonly Kind[]
  /** Work that is polled; absent if none is. */
  readonly work?: Kind
  /** How work ends, by the stub's own fault. */
  readonly ends?: Readonly<Partial<Record<Kind, Readonly<Record<string, object>>>>>
  /** Why nothing was created, by the stub's own fault. */
  readonly unmade?: Readonly<Record<string, object>>
  /** Changes with which a request is not taken, and the parameter that is named. */
  readonly refused?: readonly Refusal[]
  /** Its answers are bytes: half of one breaks off. */
  readonly answersBytes?: true
  /** Further requests that are taken. */
  readonly taken?: readonly ChannelRequest[]
}

type Refusal = readonly [kind: Kind, param: string, change: object]

/** An answer of the provider, and what a declaration reads in it; nothing by default. */
export type Answer = readonly [status: number, json: Json | undefined, expected?: object]

/** Tests of a block: what each answer about polled work means. */
export function itPolls(provider: Provider, operation: Json, answers: readonly Answer[]): void {
  for (const [status, json, expected] of answers) {
    it(`means what it says of the work: ${status} ${JSON.stringify(json)}`, async () => {
      const send = () => Promise.resolve(toReply(status, json))
      assert.deepEqual(await provider.poll(operation, send), expected)
    })
  }
}

/** Tests of a block: what each answer to a purchase proves. */
export function itCreates(provider: Provider, answers: readonly Answer[]): void {
  for (const [status, json, expected] of answers) {
    it(`proves what it says of a purchase: ${status} ${JSON.stringify(json)}`, () => {
      assert.deepEqual(provider.readCreate(toReply(status, json)), expected)
    })
  }
}

const COLOUR = { r: 1, g: 2, b: 3 }

/** Pictures that several providers can't express. */
export const NO_COLOURS: readonly Refusal[] = [
  ["picture", "colors", { colors: [COLOUR] }],
  ["picture", "background_color", { background_color: COLOUR }],
]
export const ALWAYS_CHECKED: Refusal = [
  "picture",
  "enable_safety_checker",
  { enable_safety_checker: false },
]

/** What holds for the channel of every provider, and the facts of this one. */
export function describeProvider(world: ProviderWorld, facts: ProviderFacts): void {
  const { ends = {}, purchases, refused = [], taken = [], unmade = {}, work } = facts
  const truncated = facts.answersBytes === true ? "channel-unavailable" : "channel-answer-invalid"
  for (const kind of purchases) describePurchase(world, world[kind], truncated)
  if (work !== undefined) describeWork(world, world[work])
  for (const kind of ["picture", "edit", "film"] as const) {
    describeEnds(world, world[kind], ends[kind] ?? {})
  }
  describeEligibility(world, refused, taken)
  describe(`a purchase at ${world.provider.name}`, () => {
    for (const [fault, expected] of Object.entries(unmade)) {
      it(`was not made if the provider says so: ${fault}`, async () => {
        for (const kind of purchases) {
          // oxlint-disable-next-line no-await-in-loop -- the stub has one fault for all
          assert.deepEqual(await world.buyWith({ own: [fault] }, world[kind]()), [expected, 0])
        }
      })
    }
  })
}

/** A fault after which the purchase is in doubt, and the code that the engine gets. */
type LostAnswer = readonly [
  create: NonNullable<StubFaults["create"]>,
  code: "channel-answer-invalid" | "channel-unavailable",
]

/** The same for every provider; one that is cut off shows itself in its own way. */
const LOST_ANSWERS: readonly LostAnswer[] = [
  ["reset", "channel-unavailable"],
  ["server-error", "channel-answer-invalid"],
  ["gateway-error", "channel-answer-invalid"],
  ["html", "channel-answer-invalid"],
  ["empty", "channel-answer-invalid"],
  ["redirect", "channel-answer-invalid"],
]

/** For every provider; if keys are honoured, a repeat buys nothing. */
function describePurchase(
  world: ProviderWorld,
  toPurchase: ToRequest,
  truncated: LostAnswer[1],
): void {
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
    for (const [create, code] of [...LOST_ANSWERS, ["truncated", truncated] as const]) {
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

/** Polls whose answer says nothing of the work. */
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

function describeWork(world: ProviderWorld, toPurchase: ToRequest): void {
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
      const wrong = createHttpChannel({ provider, key: "invalid", baseUrl: stub.url })
      const asked = wrong.poll(await world.begin(toPurchase()))
      await assert.rejects(asked, { retryable: true })
      await wrong.close?.()
    })
  })
}

function describeEnds(
  world: ProviderWorld,
  toPurchase: ToRequest,
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

function describeEligibility(
  world: ProviderWorld,
  refused: readonly Refusal[],
  taken: readonly ChannelRequest[],
): void {
  const { channel } = world
  describe(`a request at ${channel.name}`, () => {
    it("is taken if all of it can be expressed", () => {
      for (const request of [...refused.map(([kind]) => world[kind]()), ...taken]) {
        assert.equal(channel.accepts?.(request), true, JSON.stringify(request.parameters))
      }
    })
    for (const [kind, param, change] of refused) {
      const name = `${kind} with ${JSON.stringify(change).slice(0, 60)}`
      it(`is not taken for what can't be expressed: ${name}`, () => {
        const verdict = channel.accepts?.(world[kind](change))
        assert.ok(typeof verdict === "object")
        assert.deepEqual([verdict.kind, verdict.param], ["ineligible", param])
        assert.ok(verdict.reason !== "")
      })
    }
  })
}
