/** Credentials that are made for each request: a token that expires, a signature of the request. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it, type TestContext } from "node:test"
import {
  createHttpChannel,
  defineProvider,
  type HttpChannelOptions,
  type Provider,
  type RequestToAuthorize,
} from "@safelight/channel-http"
import { SafelightError, textToImage, type Channel } from "@safelight/core"
import { serve } from "../../support/misbehaving-server.ts"
import { toRequest } from "./provider-world.ts"

const KEY = "access-key-1234:secret-key-5678"
const NOW = 1_700_000_000_000

type Authorize = Provider["authorize"]

interface Seen {
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

interface World {
  readonly channel: Channel
  readonly origin: string
  readonly seen: readonly Seen[]
}

/** A provider of ours that takes a purchase, answers a poll with an output, or repeats the credentials. */
async function openWorld(
  t: TestContext,
  authorize: Authorize,
  change: Partial<Provider> = {},
  options: Partial<HttpChannelOptions> = {},
): Promise<World> {
  const seen: Seen[] = []
  const { origin } = await serve(t, (request, response) => {
    const pieces: Buffer[] = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const { headers, url: path = "" } = request
      seen.push({ path, headers, body: Buffer.concat(pieces).toString() })
      response.writeHead(200).end(JSON.stringify({ repeated: headers.authorization ?? "" }))
    })
  })
  const provider = defineProvider({
    name: "own",
    baseUrl: origin,
    keyVariable: "OWN_KEY",
    authorize,
    outputHosts: ["files.example"],
    submission: { kind: "unkeyed" },
    concurrency: 1,
    submitTimeoutMs: 30_000,
    models: {
      [textToImage.id]: {
        toRequest: () => ({ method: "POST", path: "/jobs", query: { a: "1" }, json: { n: 1 } }),
      },
    },
    readCreate: () => ({ kind: "accepted", operation: { id: "1" } }),
    async poll(_operation, send) {
      await send({ method: "GET", path: "/jobs/1" })
      return { kind: "running", pollAfterMs: 1 }
    },
    ...change,
  })
  const channel = createHttpChannel({ provider, key: KEY, ...options })
  t.after(() => channel.close?.())
  return { channel, origin, seen }
}

const toPicture = () => toRequest(textToImage.id, {})
const toWork = () => ({ ...toPicture(), operation: { id: "1" }, progress: 0 })

describe("the credentials of a request", () => {
  it("are made anew for each one, by the channel's clock: a token expires between two", async (t) => {
    let now = NOW
    const clock = { now: () => now, monotonicNow: () => 0 }
    const authorize: Authorize = async (key, request) =>
      Promise.resolve({ authorization: `Bearer ${key} ${request.now}` })
    const { channel, seen } = await openWorld(t, authorize, {}, { clock })
    await channel.submit(toPicture())
    now += 3_600_000
    await channel.poll(toWork())
    assert.deepEqual(
      seen.map(({ headers, path }) => [path, headers["authorization"]]),
      [
        ["/jobs?a=1", `Bearer ${KEY} ${NOW}`],
        ["/jobs/1", `Bearer ${KEY} ${NOW + 3_600_000}`],
      ],
    )
  })

  it("may sign all of it: the address, the headers, and the bytes that are sent", async (t) => {
    const told: RequestToAuthorize[] = []
    const authorize: Authorize = (_key, request) => {
      told.push(request)
      const digest = createHash("sha256")
        .update(request.body ?? "")
        .digest("hex")
      return { "x-signature": digest }
    }
    const { channel, origin, seen } = await openWorld(t, authorize)
    await channel.submit(toPicture())
    await channel.poll(toWork())
    const [bought, polled] = told
    assert.deepEqual([bought?.method, bought?.url.href], ["POST", `${origin}/jobs?a=1`])
    assert.equal(bought?.headers["content-type"], "application/json")
    assert.deepEqual([polled?.method, polled?.body], ["GET", undefined])
    const [sent] = seen
    assert.equal(sent?.body, '{"n":1}')
    const digest = createHash("sha256").update(sent.body).digest("hex")
    assert.equal(sent.headers["x-signature"], digest)
  })

  it("may sign a form, which is sent with the very boundary that was signed", async (t) => {
    let signed = ""
    const authorize: Authorize = (_key, { body }) => {
      signed = Buffer.from(body ?? []).toString()
      return {}
    }
    const form = new FormData()
    form.set("prompt", "fog")
    const models: Provider["models"] = {
      [textToImage.id]: { toRequest: () => ({ method: "POST", path: "/jobs", form }) },
    }
    const { channel, seen } = await openWorld(t, authorize, { models })
    await channel.submit(toPicture())
    assert.match(signed, /name="prompt"/)
    assert.equal(seen[0]?.body, signed)
  })

  it("are not made for another's host, which gets no request", async (t) => {
    const authorize = t.mock.fn<Authorize>(() => ({}))
    const { channel, seen } = await openWorld(t, authorize, {
      async poll(_operation, send) {
        await send({ method: "GET", path: "http://other.example/jobs/1" })
        return undefined
      },
    })
    await assert.rejects(channel.poll(toWork()), { code: "channel-answer-invalid" })
    assert.deepEqual([authorize.mock.callCount(), seen], [0, []])
  })
})

describe("a purchase whose credentials can't be made", () => {
  it("was not made, and says why to the operator without the key", async (t) => {
    const authorize: Authorize = (key) => {
      throw new TypeError(`no token for ${key} of secret-key-5678`)
    }
    const { channel, seen } = await openWorld(t, authorize)
    assert.deepEqual(await channel.submit(toPicture()), {
      kind: "not-created",
      reason: "not_authorized",
      providerWords: "no token for … of …",
      needsOperator: true,
    })
    assert.deepEqual(seen, [])
  })

  it("was not made, and is tried again by itself after a fault that passes", async (t) => {
    const down = new SafelightError({
      code: "channel-unavailable",
      message: "the token endpoint answers 503",
      retryable: true,
    })
    const { channel, seen } = await openWorld(t, () => Promise.reject(down))
    assert.deepEqual(await channel.submit(toPicture()), {
      kind: "not-created",
      reason: "not_authorized",
      providerWords: "the token endpoint answers 503",
    })
    await assert.rejects(channel.poll(toWork()), { code: "channel-unavailable", retryable: true })
    const reason =
      "own can't be called (its credentials can't be made: the token endpoint answers 503)"
    assert.deepEqual(await channel.check?.(), { kind: "unavailable", reason })
    assert.deepEqual(seen, [])
  })

  for (const headers of [undefined, { "x-token": "a\r\nb" }, { "x y": "a" }, { "x-token": "日" }]) {
    it(`was not made where they are no headers: ${JSON.stringify(headers)}`, async (t) => {
      const { channel, seen } = await openWorld(t, () => headers as never)
      const outcome = await channel.submit(toPicture())
      assert.ok(outcome.kind === "not-created" && outcome.reason === "not_authorized")
      assert.deepEqual(seen, [])
    })
  }

  const TOO_LATE = { kind: "not-created", reason: "not_sent_in_time" }

  it("was not made where they take too long, nor when they come at last", async (t) => {
    const late = new AbortController()
    t.mock.method(AbortSignal, "timeout", () => late.signal)
    const made = Promise.withResolvers<Record<string, string>>()
    const authorize = t.mock.fn<Authorize>(() => {
      late.abort()
      return made.promise
    })
    const { channel, seen } = await openWorld(t, authorize)
    const { signal } = new AbortController()
    assert.deepEqual(await channel.submit({ ...toPicture(), signal }), TOO_LATE)
    made.resolve({ authorization: "Bearer late" })
    await made.promise
    assert.equal(authorize.mock.calls[0]?.arguments[1].signal.aborted, true)
    assert.deepEqual(seen, [])
  })

  it("was not made where its caller gave it up meanwhile", async (t) => {
    const caller = new AbortController()
    const { channel, seen } = await openWorld(t, async () => {
      caller.abort()
      return Promise.resolve({ authorization: "Bearer late" })
    })
    const { signal } = caller
    assert.deepEqual(await channel.submit({ ...toPicture(), signal }), TOO_LATE)
    assert.deepEqual(await channel.submit({ ...toPicture(), signal }), TOO_LATE)
    assert.deepEqual(seen, [])
  })

  it("leaves in time: they have four of the fifteen seconds that a purchase has", async (t) => {
    const timeout = t.mock.method(AbortSignal, "timeout")
    const { channel } = await openWorld(t, () => ({}))
    await channel.submit(toPicture())
    const asked = timeout.mock.calls.map(({ arguments: [ms] }) => ms)
    assert.ok(asked.includes(4_000), String(asked))
    assert.equal(channel.sendWithinMs, 15_000)
  })
})

describe("an output that needs the key", () => {
  it("has credentials of its own, made for its address", async (t) => {
    const authorize: Authorize = async (_key, { method, url }) =>
      Promise.resolve({ "x-for": `${method} ${url.pathname}` })
    const outputs = [{ url: "/files/1" }, { url: "/files/2" }, { url: "https://files.example/3" }]
    const { channel, origin } = await openWorld(t, authorize, {
      outputsNeedKey: true,
      readCreate: () => ({ kind: "completed", outputs }),
    })
    assert.deepEqual(await channel.submit(toPicture()), {
      kind: "completed",
      outputs: [
        { url: `${origin}/files/1`, headers: { "x-for": "GET /files/1" } },
        { url: `${origin}/files/2`, headers: { "x-for": "GET /files/2" } },
        { url: "https://files.example/3" },
      ],
    })
  })
})

describe("what is made of a key", () => {
  const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhY2Nlc3MifQ.c2lnbmF0dXJl"

  it("is hidden as the key is, wherever a provider repeats it", async (t) => {
    const { channel } = await openWorld(t, () => ({ authorization: `Bearer ${TOKEN}` }), {
      readCreate: ({ json }) => ({
        kind: "refused",
        code: "provider_rejected",
        providerWords: (json as { readonly repeated: string }).repeated,
      }),
    })
    const outcome = await channel.submit(toPicture())
    assert.ok(outcome.kind === "refused")
    assert.equal(outcome.providerWords, `Bearer ${TOKEN}`)
    assert.equal(channel.hideSecrets?.(outcome.providerWords), "…")
    const words = `token ${TOKEN} of access-key-1234 by secret-key-5678 has expired`
    assert.equal(channel.hideSecrets?.(words), "token … of … by … has expired")
  })

  it("is hidden in parts too: a header may hold several", async (t) => {
    const signature = "f".repeat(64)
    const value = `HMAC Credential=access-key-1234/20261126, Signature=${signature}`
    const { channel } = await openWorld(t, () => ({ authorization: value }))
    await channel.submit(toPicture())
    assert.equal(channel.hideSecrets?.(`signature ${signature} is wrong`), "signature … is wrong")
  })
})
