/** Verifying webhooks: keys that are published and change, moments, secrets, and where none is asked for. */
import assert from "node:assert/strict"
import { createHash, createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, describe, it } from "node:test"
import { createHttpChannel, type HttpChannelOptions, PROVIDERS } from "@safelight/channel-http"
import { textToImage, type CallbackRequest, type Channel } from "@safelight/core"
import { PICTURE, toRequest } from "./provider-world.ts"

const { blackForestLabs, comfyRouter, fal, replicate } = PROVIDERS

const DAY_MS = 24 * 3_600_000
const START_AT = 1_767_225_600_000

interface KeyServer {
  readonly url: string
  /** What it answers with from now on. */
  answer: { readonly status: number; readonly body: string }
  /** Seconds, with each answer. */
  retryAfter: string
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[]
}

const server = await openKeyServer()

describe("keys that a provider publishes", () => {
  it("are asked for once, without credentials, and believed for a day", async () => {
    const [one, two] = [createKey(), createKey()]
    server.answer = toSet(two, one)
    const { channel, clock } = open()
    for (const key of [one, two, one]) {
      assert.equal((await receive(channel, toCallback(clock.now(), key))).kind, "verified")
    }
    const asked = { path: "/rest.fal.ai/.well-known/jwks.json", authorization: undefined }
    assert.deepEqual(server.requests, [asked])
    clock.move(DAY_MS)
    await receive(channel, toCallback(clock.now(), one))
    assert.deepEqual(server.requests, [asked, asked])
  })

  it("are asked for again when none fits, once a minute however much is forged", async () => {
    const [old, fresh, forger] = [createKey(), createKey(), createKey()]
    server.answer = toSet(old)
    const { channel, clock } = open()
    assert.equal((await receive(channel, toCallback(clock.now(), old))).kind, "verified")
    server.answer = toSet(fresh)
    for (let count = 0; count < 20; count += 1) {
      const forged = await receive(channel, toCallback(clock.now(), forger))
      assert.equal(forged.kind, "forged")
    }
    assert.equal(server.requests.length, 1)
    assert.equal((await receive(channel, toCallback(clock.now(), fresh))).kind, "forged")
    clock.move(60_000)
    const both = [fresh, fresh].map((key) => receive(channel, toCallback(clock.now(), key)))
    assert.deepEqual(
      (await Promise.all(both)).map(({ kind }) => kind),
      ["verified", "verified"],
    )
    assert.equal(server.requests.length, 2)
    assert.equal((await receive(channel, toCallback(clock.now(), old))).kind, "forged")
  })

  it("that can't be had make nobody a forger: the callback is to come again", async () => {
    const key = createKey()
    for (const answer of [
      { status: 500, body: "" },
      { status: 200, body: "<html>" },
      {
        status: 200,
        body: '{"keys":[{"kty":"RSA","n":"1"},{"kty":"OKP","crv":"Ed25519","x":"A"}]}',
      },
      { status: 200, body: `{"keys":[],"more":"${"x".repeat(1024 * 1024)}"}` },
    ]) {
      server.answer = answer
      const { channel, clock } = open()
      const callback = toCallback(clock.now(), key)
      await assert.rejects(receive(channel, callback), { retryable: true })
      await assert.rejects(receive(channel, callback), { retryable: true })
      assert.equal(server.requests.length, 1)
      server.answer = toSet(key)
      clock.move(60_000)
      const again = await receive(channel, toCallback(clock.now(), key))
      assert.equal(again.kind, "verified")
    }
  })
})

describe("the moment of a signature", () => {
  it("is at most five minutes away, before or behind", async () => {
    const key = createKey()
    server.answer = toSet(key)
    const { channel, clock } = open()
    for (const [awayMs, kind] of [
      [-300_000, "verified"],
      [300_000, "verified"],
      [-301_000, "forged"],
      [301_000, "forged"],
    ] as const) {
      const callback = toCallback(clock.now() + awayMs, key)
      assert.equal((await receive(channel, callback)).kind, kind, String(awayMs))
    }
    const odd = toCallback(clock.now(), key, (moment) => ` ${moment}`)
    assert.equal((await receive(channel, odd)).kind, "forged")
  })
})

describe("the secret of an account", () => {
  const SECRET = Buffer.from("sixteen bytes or more").toString("base64")

  it("verifies any of several signatures, and none of another secret", async () => {
    const { channel, clock } = open({ provider: replicate, webhookSecret: `whsec_${SECRET}` })
    const moment = String(Math.floor(clock.now() / 1_000))
    const body = Buffer.from(
      '{"id":"1","urls":{"get":"https://api.replicate.com/v1/predictions/1"}}',
    )
    const signWith = (secret: string) =>
      createHmac("sha256", Buffer.from(secret, "base64"))
        .update(`m.${moment}.`)
        .update(body)
        .digest("base64")
    const toHeaders = (signature: string) => ({
      "webhook-id": "m",
      "webhook-timestamp": moment,
      "webhook-signature": signature,
    })
    const other = Buffer.from("another secret of them").toString("base64")
    const own = `v1,${signWith(SECRET)}`
    for (const [signature, kind] of [
      [own, "verified"],
      [`v1,${signWith(other)} v1a,xyz ${own}`, "verified"],
      [`v1,${signWith(other)}`, "forged"],
      [signWith(SECRET), "forged"],
      [`v2,${signWith(SECRET)}`, "forged"],
      ["", "forged"],
      [`${"v1,x ".repeat(10_000)}${own}`, "forged"],
    ] as const) {
      const { kind: found } = await receive(channel, { headers: toHeaders(signature), body })
      assert.equal(found, kind, signature.slice(0, 40))
    }
  })

  it("is refused at the start where it would verify anything", () => {
    for (const webhookSecret of ["whsec_", "whsec_!!!", "short"]) {
      const make = () => open({ provider: replicate, webhookSecret })
      assert.throws(make, { code: "invalid-configuration", message: /secret of webhooks/ })
    }
  })

  it("is needed, or no callback is asked for", () => {
    assert.equal(open({ provider: replicate }).channel.receive, undefined)
    assert.equal(open({ provider: replicate }).channel.hasVerifiedCallbacks, undefined)
  })
})

describe("an address of plain http", () => {
  it("is given to a stub, and to no provider", async () => {
    const [plain, encrypted] = ["http://api.example/1", "https://api.example/1"]
    const [stub, provider] = ["http://127.0.0.1:1", "https://127.0.0.1:1"]
    assert.equal("webhook_url" in (await readBody(provider, plain)), false)
    for (const [baseUrl, url] of [
      [stub, plain],
      [provider, encrypted],
    ] as const) {
      const { webhook_secret, webhook_url } = await readBody(baseUrl, url)
      assert.deepEqual([webhook_url, webhook_secret], [url, "s"])
    }
  })

  /** The body of a purchase with that callback, at an address where nobody listens. */
  async function readBody(
    baseUrl: string,
    url: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { channel } = open({ provider: blackForestLabs, baseUrl })
    const bodies: string[] = []
    const keep = (message: unknown) => {
      bodies.push(String((message as { readonly request: { readonly body: Buffer } }).request.body))
    }
    subscribe("undici:request:create", keep)
    const callback = { url, secret: "s" }
    const outcome = await channel.submit({ ...toRequest(textToImage.id, PICTURE), callback })
    unsubscribe("undici:request:create", keep)
    assert.deepEqual(outcome, { kind: "not-created", reason: "unreachable" })
    assert.equal(bodies.length, 1)
    return JSON.parse(bodies[0] ?? "")
  }
})

describe("an answer to a question", () => {
  it("says itself when to ask again, also where it tells nothing", async () => {
    const { channel } = open()
    server.answer = { status: 429, body: "{}" }
    const ask = () => channel.poll(toPoll())
    await assert.rejects(ask(), { retryable: true, retryAfterMs: 7_000 })
    server.answer = { status: 200, body: '{"status":"IN_QUEUE"}' }
    assert.deepEqual(await ask(), { kind: "running", pollAfterMs: 7_000 })
  })

  it("puts off the next question by five minutes at most: a paid result may be gone in ten", async () => {
    const { channel } = open()
    const ask = () => channel.poll(toPoll())
    server.retryAfter = "86400"
    server.answer = { status: 503, body: "<html>" }
    await assert.rejects(ask(), { retryable: true, retryAfterMs: 300_000 })
    server.answer = { status: 200, body: '{"status":"IN_QUEUE"}' }
    const outcome = await ask()
    server.retryAfter = "7"
    assert.deepEqual(outcome, { kind: "running", pollAfterMs: 300_000 })
  })

  it("is bounded by what it may hold", async () => {
    const { channel } = open({ provider: comfyRouter })
    const status = "IN_QUEUE"
    server.answer = { status: 200, body: JSON.stringify({ status, x: "x".repeat(1024 * 1024) }) }
    await assert.rejects(channel.poll(toPoll()), { code: "channel-unavailable", retryable: true })
  })
})

function toPoll(): Parameters<Channel["poll"]>[0] {
  const operation = { state: "/state", result: "/result" }
  return { ...toRequest(textToImage.id, {}), operation, progress: 0 }
}

function open(options: Partial<HttpChannelOptions> = {}) {
  server.requests.length = 0
  let movedMs = 0
  const clock = {
    now: () => START_AT + movedMs,
    monotonicNow: () => movedMs,
    move: (byMs: number) => void (movedMs += byMs),
  }
  const channel = createHttpChannel({
    provider: fal,
    key: "key",
    baseUrl: server.url,
    clock,
    ...options,
  })
  after(() => channel.close?.())
  return { channel, clock }
}

type Message = Pick<CallbackRequest, "body" | "headers">

async function receive(channel: Channel, message: Message) {
  const own = { model: textToImage.id, upstreamKey: "task.1", secret: "s".repeat(43) }
  const request = { ...own, ...message, signal: AbortSignal.timeout(10_000) }
  return (await channel.receive?.(request)) ?? assert.fail("it has no receive")
}

function createKey() {
  return generateKeyPairSync("ed25519")
}

type KeyPair = ReturnType<typeof createKey>

function toSet(...keys: readonly KeyPair[]): KeyServer["answer"] {
  const toX = (key: KeyObject) => `${key.export({ format: "jwk" }).x}=`
  const list = keys.map(({ publicKey }) => ({ kty: "OKP", crv: "Ed25519", x: toX(publicKey) }))
  return { status: 200, body: JSON.stringify({ keys: list }) }
}

function toCallback(
  at: number,
  { privateKey }: KeyPair,
  toMoment = (moment: string): string => moment,
): Message {
  const body = Buffer.from(JSON.stringify({ request_id: "r-1", status: "OK" }))
  const moment = toMoment(String(Math.floor(at / 1_000)))
  const digest = createHash("sha256").update(body).digest("hex")
  const signed = Buffer.from(["r-1", "u", moment, digest].join("\n"))
  const headers = {
    "x-fal-webhook-request-id": "r-1",
    "x-fal-webhook-user-id": "u",
    "x-fal-webhook-timestamp": moment,
    "x-fal-webhook-signature": sign(null, signed, privateKey).toString("hex"),
  }
  return { body, headers }
}

async function openKeyServer(): Promise<KeyServer> {
  const listening = createServer((request, response) => {
    const { authorization } = request.headers
    keyServer.requests.push({ path: request.url ?? "", authorization })
    response
      .writeHead(keyServer.answer.status, { "retry-after": keyServer.retryAfter })
      .end(keyServer.answer.body)
  })
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve))
  after(() => {
    listening.closeAllConnections()
    listening.close()
  })
  const { port } = listening.address() as AddressInfo
  const answer = { status: 404, body: "" }
  const keyServer: KeyServer = {
    url: `http://127.0.0.1:${port}`,
    answer,
    retryAfter: "7",
    requests: [],
  }
  return keyServer
}
