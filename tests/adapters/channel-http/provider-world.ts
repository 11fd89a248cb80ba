/** A provider's channel pointed at its stub, with sample requests. A test file opens one world. */
import assert from "node:assert/strict"
import { after } from "node:test"
import {
  createHttpChannel,
  defineProvider,
  type HttpChannelOptions,
  type Provider,
  type Reply,
} from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type Channel,
  type ChannelRequest,
  type Json,
  type PollOutcome,
  type SubmitOutcome,
} from "@safelight/core"
import {
  STUBS,
  type RunningStub,
  type StubFaults,
  type StubPurchase,
} from "@safelight/testkit/stubs"
import { createSampleInputs } from "@safelight/testkit"

/** A request for one model: its sample parameters with changes, under an upstream key of its own. */
export type ToRequest = (changes?: object) => ChannelRequest

export interface ProviderWorld {
  readonly provider: Provider
  readonly stub: RunningStub
  readonly channel: Channel
  readonly picture: ToRequest
  readonly edit: ToRequest
  readonly film: ToRequest
  /** With these parameters alone. */
  toRequest(model: string, parameters: object): ChannelRequest
  /** The last purchase. */
  bought(): StubPurchase
  /** Submits; to the last purchase. */
  buy(request: ChannelRequest): Promise<StubPurchase>
  /** Submits; to the request with its operation, for `poll` and `cancel`. */
  begin(request: ChannelRequest): Promise<ChannelRequest & { operation: Json; progress: number }>
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

export interface WorldOptions extends Pick<HttpChannelOptions, "keyTtlMs"> {
  readonly key?: string
  /** Changes to the sample parameters. */
  readonly picture?: object
  readonly edit?: object
  readonly film?: object
}

/** With their defaults applied. */
export const PICTURE = {
  prompt: "fog",
  size: "square_hd",
  enable_safety_checker: true,
  colors: [],
} as const
export const EDIT = {
  prompt: "warm",
  image_urls: ["https://media.example/1.png"],
  output_format: "jpeg",
  quality: "medium",
  resolution: "1k",
  aspect_ratio: "auto",
  sync_mode: false,
  count: 1,
} as const
export const FILM = { prompt: "waves", resolution: "720p", duration: 4 } as const

/** Longer than any test takes, except those that are slow on purpose. */
export const TIMEOUT_MS = 10_000
export const SLOW_MS = 2_000

let keys = 0

/** A request with these parameters alone, under an upstream key of its own. */
export function toRequest(model: string, parameters: object): ChannelRequest {
  keys += 1
  return {
    task: "task",
    account: "account",
    model,
    parameters: { ...parameters },
    upstreamKey: `task.${keys}`,
    inputs: createSampleInputs(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }
}

/** Closed after the tests of the file. */
export async function openProviderWorld(
  provider: Provider,
  { edit, film, key = "key", picture, ...more }: WorldOptions = {},
): Promise<ProviderWorld> {
  const start = STUBS[provider.name] ?? assert.fail(`${provider.name} has no stub`)
  const stub = await start({ queueMs: 0, runMs: 0, slowMs: SLOW_MS })
  const channel = createHttpChannel({ provider, key, baseUrl: stub.url, ...more })
  after(async () => {
    await channel.close?.()
    await stub[Symbol.asyncDispose]()
  })

  const world: ProviderWorld = {
    provider,
    stub,
    channel,
    picture: (changes) => toRequest(textToImage.id, { ...PICTURE, ...picture, ...changes }),
    edit: (changes) => toRequest(imageEdit.id, { ...EDIT, ...edit, ...changes }),
    film: (changes) => toRequest(referenceToVideo.id, { ...FILM, ...film, ...changes }),
    toRequest,
    bought: () => stub.purchases.at(-1) ?? assert.fail("nothing was bought"),
    async buy(request) {
      await channel.submit(request)
      return world.bought()
    },
    async begin(request) {
      const submitted = await channel.submit(request)
      assert.ok(submitted.kind === "accepted", JSON.stringify(submitted))
      return { ...request, operation: submitted.operation, progress: 0 }
    },
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

/** A declaration of which only `poll` is used. */
export function createProvider(poll: Provider["poll"]): Provider {
  return defineProvider({
    name: "sample",
    baseUrl: "http://127.0.0.1:1",
    keyVariable: "SAMPLE_KEY",
    authorize: () => ({}),
    outputHosts: ["files.example"],
    submission: { kind: "unkeyed" },
    concurrency: 1,
    submitTimeoutMs: 1_000,
    models: { [textToImage.id]: { toRequest: () => ({ method: "POST", path: "/" }) } },
    readCreate: () => undefined,
    poll,
  })
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

/** Nothing was created, for a reason that only the operator can remove. */
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
