/** Bodies that are held at once: one account's share, what is kept for small ones, slow ones, and work on large ones. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { OpenAiAnswer, OpenAiPurchase, OpenAiService } from "@safelight/http"
import { createRawClient, type RawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { creation, createWorld, VALID, WORLDS, type WorldOptions } from "./worlds.ts"

const SMALL = JSON.stringify(VALID)
/** Nothing above this is small. */
const LARGE_BYTES = 1_000
const BODY_BYTES = 10_000
const IN_FLIGHT_BYTES = 4 * BODY_BYTES
const SETTINGS = {
  largeBodyBytes: LARGE_BYTES,
  bodyBytes: BODY_BYTES,
  bodiesInFlightBytes: IN_FLIGHT_BYTES,
}

describe("bodies in flight", () => {
  it("are a quarter of all at most for one account, and of others none the less", async () => {
    await using world = await open({ settings: SETTINGS })
    const mine = world.keys.add({ account: "mine" })
    const others = world.keys.add({ account: "others" })
    const stalled = await world.stall(mine, BODY_BYTES - LARGE_BYTES)
    assert.equal(await world.post(mine, sized(2 * LARGE_BYTES)), 503)
    assert.equal(await world.post(mine, SMALL), 202)
    assert.equal(await world.post(others, sized(BODY_BYTES)), 202)
    stalled.socket.destroy()
    await world.untilPosted(mine, sized(BODY_BYTES))
  })

  it("of messages for OpenAI's door count until what they ask for is bought", async () => {
    const buying: (() => void)[] = []
    const openai = {
      generateImages({ onOver, onTaken }: OpenAiPurchase) {
        buying.push(() => onTaken?.())
        if (buying.length === 1) return new Promise<OpenAiAnswer>(() => {})
        onOver()
        return Promise.resolve({ status: 200, headers: {}, body: "made" })
      },
      end() {},
    } as Partial<OpenAiService> as OpenAiService
    const settings = { messageBytes: BODY_BYTES, messagesInFlightBytes: 4 * BODY_BYTES }
    await using world = await createWorld("in process", { settings, openai })
    const post = async (): Promise<number> => {
      const headers = { ...creation().headers, authorization: `Bearer ${world.key}` }
      const init = { method: "POST", headers, body: sized(BODY_BYTES) }
      const request = new Request("http://a.example/openai/v1/images/generations", init)
      return (await world.handler.fetch(request)).status
    }
    void post()
    await until(() => buying.length === 1 || undefined)
    assert.equal(await post(), 503)
    buying[0]?.()
    assert.equal(await post(), 200)
  })

  it("leave a part for small ones, which the large ones of all accounts can't take", async () => {
    await using world = await open({ settings: SETTINGS })
    const stalled: RawClient[] = []
    for (let count = 0; count < 4; count += 1) {
      const key = world.keys.add({ account: `account ${count}` })
      stalled.push(await world.stall(key, (IN_FLIGHT_BYTES * 15) / 16 / 4))
    }
    const key = world.keys.add({ account: "late" })
    assert.equal(await world.post(key, sized(LARGE_BYTES + 1)), 503)
    assert.equal(await world.post(key, sized(LARGE_BYTES)), 202)
    for (const { socket } of stalled) socket.destroy()
    await world.untilPosted(key, sized(BODY_BYTES))
  })

  it("are worked on so many bytes at a time, the largest alone, and small ones meanwhile", async () => {
    await using world = await open({ settings: { ...SETTINGS, bodiesAtWorkBytes: 6_000 } })
    const going = Promise.withResolvers<void>()
    const { service } = world.fake
    const submit = service.submit.bind(service)
    let inside = 0
    let most = 0
    service.submit = async (request) => {
      if (JSON.stringify(request.parameters).length < LARGE_BYTES) return submit(request)
      inside += 1
      most = Math.max(most, inside)
      await going.promise
      inside -= 1
      return submit(request)
    }
    const key = world.keys.add()
    const prompt = "x".repeat(2_900)
    const large = JSON.stringify({ ...VALID, parameters: { prompt } })
    const answers = Array.from({ length: 3 }, () => world.post(key, large))
    await until(() => inside === 2)
    assert.equal(await world.post(key, SMALL), 202)
    going.resolve()
    assert.deepEqual(await Promise.all(answers), [202, 202, 202])
    assert.equal(most, 2)
    assert.equal(await world.post(key, sized(BODY_BYTES)), 202)
  })
})

for (const kind of WORLDS) {
  describe(`a slow body, ${kind}`, () => {
    const settings = { ...SETTINGS, bodyPaceMs: 200, bodyBytesPerSecond: 10_000 }

    it("is 408 once nothing came for a while, and is held no longer", async () => {
      await using world = await open({ settings })
      const request = world.drip(kind, "x".repeat(500), {
        pieceBytes: 500,
        eachMs: 10,
        stops: true,
      })
      assert.deepEqual(await request, { status: 408, code: "request_timeout" })
      await world.untilPosted(world.key, sized(BODY_BYTES))
    })

    it("is 408 where it is large and slower than it may be", async () => {
      await using world = await open({ settings })
      const request = world.drip(kind, sized(BODY_BYTES), { pieceBytes: 300, eachMs: 100 })
      assert.deepEqual(await request, { status: 408, code: "request_timeout" })
    })

    it("is waited for where it is small and moves", async () => {
      await using world = await open({ settings })
      const request = world.drip(kind, SMALL, { pieceBytes: 10, eachMs: 60 })
      assert.deepEqual(await request, { status: 202, code: undefined })
    })
  })
}

/** A creation of so many bytes. */
function sized(bytes: number): string {
  return SMALL + " ".repeat(bytes - SMALL.length)
}

interface Drip {
  readonly pieceBytes: number
  readonly eachMs: number
  /** The body never ends. */
  readonly stops?: boolean
}

async function open(options: WorldOptions) {
  const world = await createWorld("over a socket", options)
  const url = world.server?.url ?? ""

  async function post(key: string, body: string): Promise<number> {
    const headers = { ...creation().headers, authorization: `Bearer ${key}` }
    return (await world.bare("/v1/tasks", { ...creation(body), headers })).status
  }

  function dripWeb(body: string, { pieceBytes, eachMs, stops = false }: Drip): Promise<Response> {
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (at >= body.length && stops) return new Promise(() => {})
        await new Promise((resolve) => setTimeout(resolve, eachMs))
        if (at >= body.length) return controller.close()
        controller.enqueue(new TextEncoder().encode(body.slice(at, at + pieceBytes)))
        at += pieceBytes
      },
    })
    const headers = { ...creation().headers, authorization: `Bearer ${world.key}` }
    const init = { method: "POST", headers, body: stream, duplex: "half" } as RequestInit
    return Promise.resolve(world.handler.fetch(new Request("http://a/v1/tasks", init)))
  }

  function dripSocket(
    body: string,
    { pieceBytes, eachMs, stops = false }: Drip,
  ): Promise<Response> {
    const client = createRawClient(url)
    client.send(head(world.key, body.length + (stops ? 1 : 0)))
    let at = 0
    const timer = setInterval(() => {
      client.send(body.slice(at, at + pieceBytes))
      at += pieceBytes
      if (at >= body.length) clearInterval(timer)
    }, eachMs)
    return client.ended().then((text) => {
      clearInterval(timer)
      const [, status = ""] = text.split(" ", 2)
      return new Response(text.slice(text.indexOf("\r\n\r\n") + 4), { status: Number(status) })
    })
  }

  return {
    ...world,
    post,
    /** Sends all but the last byte of a body, and resolves when that is held. */
    async stall(key: string, bytes: number): Promise<RawClient> {
      const client = createRawClient(url)
      client.send(head(key, bytes + 1))
      await new Promise((resolve) => client.socket.write("x".repeat(bytes), resolve))
      // The server's turn, in this process.
      for (let turn = 0; turn < 20; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      return client
    },
    async untilPosted(key: string, body: string): Promise<void> {
      while ((await post(key, body)) !== 202);
    },
    async drip(kind: (typeof WORLDS)[number], body: string, drip: Drip) {
      const response = await (kind === "in process" ? dripWeb(body, drip) : dripSocket(body, drip))
      const { error } = (await response.json()) as { error?: { code: string } | null }
      return { status: response.status, code: error?.code }
    },
    [Symbol.asyncDispose]: () => world.close(),
  }
}

function head(key: string, bytes: number): string {
  const lines = [
    "Host: a",
    "Connection: close",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${bytes}`,
  ]
  return `POST /v1/tasks HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`
}
