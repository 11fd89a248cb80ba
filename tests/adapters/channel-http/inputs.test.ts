/** How inputs reach providers that don't take what a request holds: by a link, an upload, or along with it. */
import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, describe, it } from "node:test"
import {
  createHttpChannel,
  defineProvider,
  type Provider,
  PROVIDERS,
} from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  SafelightError,
  type Channel,
  type ChannelRequest,
  type TaskInputs,
} from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createSampleInputs } from "@safelight/testkit"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { serve } from "../../support/misbehaving-server.ts"
import { EDIT as SAMPLE_EDIT, toRequest as toPlainRequest } from "./provider-world.ts"

const { ark, comfyRouter, gemini, higgsfield, replicate } = PROVIDERS

const FILM = "data:video/mp4;base64,AAAAGGZ0eXBpc29tAAAAAGlzb21pc28y"
const LARGE = `data:image/png;base64,${"A".repeat(2_000_000)}`
const SMALL = "data:image/png;base64,AAAA"
const PAGE = "https://media.example/1.mp4"
const LINK = "https://safelight.example/v1/inputs/i1"

const EDIT = { ...SAMPLE_EDIT, prompt: "in fog" }

interface World {
  readonly channel: Channel
  readonly stub: RunningStub
  /** What the provider was asked for, as text. */
  submit(model: string, parameters: object, inputs?: TaskInputs): Promise<string>
}

const linked = createSampleInputs({ toLink: (url) => `${LINK}.${url.length}` })
function toRequest(model: string, parameters: object, inputs: TaskInputs): ChannelRequest {
  return { ...toPlainRequest(model, parameters), inputs, signal: AbortSignal.timeout(30_000) }
}

function createWorld(provider: Provider, canLink = true): { readonly world: () => World } {
  let made: World | undefined
  before(async () => {
    const stub = (await STUBS[provider.name]?.({ queueMs: 0, runMs: 0 })) ?? assert.fail()
    const channel = createHttpChannel({ provider, key: "a-key:b", baseUrl: stub.url, canLink })
    made = {
      channel,
      stub,
      async submit(model, parameters, inputs = linked) {
        const outcome = await channel.submit(toRequest(model, parameters, inputs))
        assert.equal(outcome.kind, "accepted", JSON.stringify(outcome))
        return JSON.stringify(stub.purchases.at(-1)?.body)
      },
    }
  })
  after(async () => {
    await made?.channel.close?.()
    await made?.stub[Symbol.asyncDispose]()
  })
  return { world: () => made ?? assert.fail() }
}

describe("a film that came with its request", () => {
  const film = { prompt: "fog", video_urls: [FILM, PAGE] }

  for (const provider of [ark, comfyRouter, higgsfield]) {
    const { world } = createWorld(provider)

    it(`is linked at ${provider.name}, the same each time, and other URLs are as they are`, async () => {
      const { channel, submit } = world()
      const { id: model } = referenceToVideo
      assert.equal(channel.accepts?.({ model, parameters: film }), true)
      const bought = await submit(model, film)
      assert.ok(bought.includes(`${LINK}.${FILM.length}"`) && bought.includes(PAGE), bought)
      assert.equal(bought.includes("base64"), false)
      const again = await submit(model, film)
      assert.equal(again, bought)
    })

    it(`is not taken by ${provider.name} where the service has no public address`, () => {
      const channel = createHttpChannel({ provider, key: "a-key:b" })
      const verdict = channel.accepts?.({ model: referenceToVideo.id, parameters: film })
      assert.ok(typeof verdict === "object")
      assert.equal(verdict.param, "video_urls")
    })
  }

  const { world } = createWorld(replicate)

  it("is uploaded to Replicate, with and without a public address", async () => {
    const { channel, stub, submit } = world()
    const { id: model } = referenceToVideo
    const parameters = { ...film, video_urls: [FILM] }
    assert.equal(channel.accepts?.({ model, parameters }), true)
    const bought = await submit(model, parameters)
    const [url = ""] = /http[^"]+/.exec(bought) ?? []
    assert.ok(url.startsWith(stub.url), bought)
    const kept = await fetch(url)
    assert.equal(kept.headers.get("content-type"), "video/mp4")
    assert.equal(Buffer.from(await kept.arrayBuffer()).toString("base64"), FILM.split(",")[1])
  })
})

describe("a large picture that came with its request", () => {
  const replicated = createWorld(replicate)
  const routed = createWorld(comfyRouter)

  it("is uploaded to Replicate, and a small one goes along", async () => {
    const { submit, stub } = replicated.world()
    const large = await submit(imageEdit.id, { ...EDIT, image_urls: [LARGE] })
    assert.ok(large.length < 1_000 && large.includes(`${stub.url}/`), large.slice(0, 500))
    const small = await submit(imageEdit.id, { ...EDIT, image_urls: [SMALL] })
    assert.ok(small.includes(SMALL))
  })

  it("is linked at Comfy Router, which takes no request above 10 MiB", async () => {
    const { channel, submit } = routed.world()
    const image_urls = [LARGE, SMALL, LARGE, LARGE, LARGE, LARGE, LARGE]
    const parameters = { ...EDIT, image_urls }
    assert.equal(channel.accepts?.({ model: imageEdit.id, parameters }), true)
    const bought = await submit(imageEdit.id, parameters)
    assert.ok(bought.length < 2_000 && bought.includes(SMALL) && bought.includes(LINK))
  })
})

describe("a picture that lies elsewhere", () => {
  const { world } = createWorld(gemini)
  const { id: model } = referenceToVideo
  const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
  const toFilm = (...image_urls: readonly string[]) => ({ prompt: "fog", duration: 8, image_urls })
  let url = ""
  let status = 200

  const server = createServer((_request, response) => {
    response.writeHead(status).end(Buffer.from(picture, "base64"))
  })
  after(() => void server.close())
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1.png`
  })

  /** As the engine hands them out. */
  function toInputs(allowedAddresses: readonly string[]): TaskInputs {
    const source = createGuardedFetch({ allowedAddresses })
    return {
      link: linked.link,
      open: (request) => source.open({ maxBytes: 1_000, ...request, kinds: ["image"] }),
    }
  }

  it("goes along to Veo, which fetches none", async () => {
    const bought = await world().submit(model, toFilm(url, SMALL), toInputs(["127.0.0.0/8"]))
    assert.ok(bought.includes(picture) && bought.includes("image/png"), bought)
    assert.ok(bought.includes('"AAAA"'))
  })

  it("fails its task where its address is private: nothing is sent", async () => {
    const { channel, stub } = world()
    const earlier = stub.requests.length
    const outcome = await channel.submit(toRequest(model, toFilm(url), toInputs([])))
    assert.deepEqual(outcome, { kind: "refused", code: "media_download_failed" })
    assert.equal(stub.requests.length, earlier)
  })

  it("proves nothing of an earlier call where a repeat can't have it", async () => {
    const { channel, stub } = world()
    const earlier = stub.requests.length
    const request = toRequest(model, toFilm(url), toInputs([]))
    const outcome = await channel.submit({ ...request, isRepeat: true })
    assert.deepEqual(outcome, { kind: "not-created", reason: "repeat_refused" })
    assert.equal(stub.requests.length, earlier)
  })

  it("says nothing against the provider where its server takes too long", async (t) => {
    const late = new AbortController()
    t.mock.method(AbortSignal, "timeout", () => late.signal)
    const { origin } = await serve(t, (_request, response) => {
      response.writeHead(200).write(Buffer.from(picture, "base64"))
      late.abort()
    })
    const { channel } = world()
    const request = toRequest(model, toFilm(`${origin}/1.png`), toInputs(["127.0.0.0/8"]))
    const { signal } = new AbortController()
    const outcome = await channel.submit({ ...request, signal })
    const reason = "inputs_took_too_long"
    assert.deepEqual(outcome, { kind: "not-created", reason, isAboutRequest: true })
  })

  it("is tried again where its server fails for now", async () => {
    status = 503
    const { channel } = world()
    const outcome = await channel.submit(toRequest(model, toFilm(url), toInputs(["127.0.0.0/8"])))
    status = 200
    const reason = "media_download_failed"
    assert.deepEqual(outcome, { kind: "not-created", reason, isAboutRequest: true })
  })
})

describe("an upload that fails", () => {
  const { world } = createWorld(replicate)
  const { id: model } = referenceToVideo

  it("proves that nothing was bought, and another attempt may follow", async () => {
    const { channel, stub } = world()
    const lost = createHttpChannel({
      provider: replicate,
      key: "key",
      baseUrl: "http://127.0.0.1:1",
    })
    const request = toRequest(model, { prompt: "fog", video_urls: [FILM] }, linked)
    const outcome = await lost.submit(request)
    assert.deepEqual(outcome, { kind: "not-created", reason: "channel-unavailable" })
    await lost.close?.()
    const earlier = stub.purchases.length
    const open = (): Promise<never> => {
      throw new SafelightError({ code: "media_too_large", message: "as a test wants it" })
    }
    const refused = await channel.submit({ ...request, inputs: { ...linked, open } })
    assert.deepEqual(refused, { kind: "refused", code: "media_too_large" })
    assert.equal(stub.purchases.length, earlier)
  })

  it("that never ends is given up before the purchase", async (t) => {
    t.mock.method(AbortSignal, "timeout", () => AbortSignal.abort())
    const { channel, stub } = world()
    const earlier = stub.requests.length
    const request = {
      ...toRequest(model, { prompt: "fog", video_urls: [FILM] }, linked),
      signal: new AbortController().signal,
    }
    const outcome = await channel.submit(request)
    assert.deepEqual(outcome, { kind: "not-created", reason: "inputs_took_too_long" })
    assert.equal(stub.requests.length, earlier)
  })
})

describe("a link that comes too late", () => {
  const { world } = createWorld(ark)

  it("is not bought by: another process may have taken the task over", async (t) => {
    const late = new AbortController()
    t.mock.method(AbortSignal, "timeout", () => late.signal)
    const { channel, stub } = world()
    const earlier = stub.requests.length
    const link = async (url: string): Promise<string | undefined> => {
      late.abort()
      return linked.link(url)
    }
    const asked = toRequest(referenceToVideo.id, { prompt: "fog", video_urls: [FILM] }, linked)
    const { signal } = new AbortController()
    const outcome = await channel.submit({ ...asked, signal, inputs: { ...linked, link } })
    assert.deepEqual(outcome, { kind: "not-created", reason: "inputs_took_too_long" })
    assert.equal(stub.requests.length, earlier)
  })
})

describe("a declaration that uploads", () => {
  const model = { inputs: { video_urls: { by: "upload" } } } as const

  it("needs to say how, and honours no keys", () => {
    const { upload: _, ...mute } = replicate
    assert.throws(() => defineProvider(mute), /has no upload/)
    const keyed = { kind: "keyed", keyTtlMs: 1_000 } as const
    assert.throws(() => defineProvider({ ...replicate, submission: keyed }), /can't upload/)
    const silent = { ...higgsfield, models: { a: { ...model, toRequest: () => assert.fail() } } }
    assert.throws(() => defineProvider(silent), /has no upload/)
  })

  it("has as much more time for it as its purchase needs to leave", () => {
    const { submitTimeoutMs, sendWithinMs } = createHttpChannel({ provider: replicate, key: "key" })
    assert.deepEqual([submitTimeoutMs, sendWithinMs], [45_000, 30_000])
  })
})
