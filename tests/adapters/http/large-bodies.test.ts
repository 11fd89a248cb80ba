/**
 * Bodies that are read in a thread: whatever they hold, caller and service see what they would see
 * of a body read in place.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createNodeServer, type NodePair } from "@safelight/http"
import * as fc from "fast-check"
import { checkAsync } from "../../core/support/property.ts"
import { BYTE_FAULT, breakBytes, writeJson } from "../../service/generated/json-text.ts"
import { CREATION } from "../../service/generated/parameters.ts"
import { createRawClient } from "../../support/raw-client.ts"
import { compare, openPlaces } from "./body-places.ts"
import { NEVER_MS, openServer, watchThreads } from "./thread-watch.ts"
import { creation, createWorld, VALID } from "./worlds.ts"

const MEBIBYTE = 1024 * 1024
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VIDEO = "vendor-c/video-2.5/reference-to-video"
const BLANKS = " ".repeat(MEBIBYTE)
const LONG = "x".repeat(MEBIBYTE)
/** As long as a prompt may be, with room for what a test adds. */
const WORDS = "x".repeat(999_000)
const IMAGE = `data:image/png;base64,${Buffer.alloc(MEBIBYTE, "safelight").toString("base64")}`
const OTHER = `data:image/png;base64,${Buffer.alloc(MEBIBYTE, "safelighT").toString("base64")}`

const edit = (parameters: object) => ({ model: EDIT, parameters: { prompt: "", ...parameters } })
const video = (parameters: object) => ({ model: VIDEO, parameters })
const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

/** Each of more than 1 MiB. */
const BODIES: Readonly<Record<string, unknown>> = {
  "a request behind blanks": BLANKS + JSON.stringify(VALID),
  "a request behind a byte order mark": bytes([0xef, 0xbb, 0xbf], JSON.stringify(VALID), BLANKS),
  "one data URL": edit({ image_urls: [IMAGE] }),
  "data URLs that begin alike, and one twice": edit({ image_urls: [IMAGE, OTHER, IMAGE] }),
  "a data URL beside text beyond Latin": edit({ prompt: "灯台 💡", image_urls: [OTHER, IMAGE] }),
  "a data URL behind text beyond Latin": video({
    audio_urls: ["http://ü/💡"],
    image_urls: [IMAGE],
  }),
  "a prompt that JSON escapes": video({ prompt: `"${WORDS}\n\u0000"`, image_urls: [IMAGE] }),
  "a prompt that JSON escapes late":
    BLANKS + JSON.stringify(video({ prompt: `${WORDS}\\`, video_urls: [] })),
  "a prompt of two-byte characters": video({ prompt: "é灯".repeat(MEBIBYTE / 4) }),
  "a prompt that looks like the text around it":
    BLANKS + JSON.stringify(video({ prompt: `${WORDS}","resolution":"x` })),
  "a data URL in escapes": `{"model":"${EDIT}","parameters":{"prompt":"","image_urls":["${IMAGE.replaceAll("/", "\\/")}"]}}`,
  "an empty text": BLANKS,
  "a text that ends early": JSON.stringify(edit({ image_urls: [IMAGE] })).slice(0, -3),
  "a text with a fault at its end": `${BLANKS}{"model":tru}`,
  "a fault behind a byte order mark": bytes([0xef, 0xbb, 0xbf], BLANKS, "}"),
  "what is not UTF-8 at its end": bytes(BLANKS, [0xc3]),
  "what is not UTF-8 in between": bytes(BLANKS, [0xff], BLANKS),
  "a text too deep": `${BLANKS}${"[".repeat(33)}`,
  "a text of too many values": `[${"1,".repeat(MEBIBYTE / 2)}1]`,
  "a member that stands twice": `${BLANKS}{"model":1,"model":2}`,
  "a list": `[${JSON.stringify(LONG)}]`,
  "a string": JSON.stringify(LONG),
  "nothing that a request needs": `{${BLANKS}}`,
  "members of wrong types": { model: 1, parameters: [LONG] },
  "members that nobody knows": { ...VALID, [LONG]: 1, __proto__x: LONG },
  "parameters that nobody knows": `{"model":"${VALID.model}","parameters":{"__proto__":{"a":"${LONG}"},"prompt":1}}`,
  "an unknown model": { model: LONG, parameters: {} },
  "a model spelled differently": { model: `${EDIT} `, parameters: { prompt: LONG } },
  "a prompt that is too long": { ...VALID, parameters: { prompt: LONG } },
  "several faults": edit({ image_urls: [IMAGE, `${IMAGE}=`, "ftp://a"], count: 0, size: LONG }),
  "half a character": `{"model":"${VIDEO}","parameters":{"prompt":"${LONG}\\ud800"}}`,
  "a number past all bounds": `${BLANKS}{"model":"${EDIT}","parameters":{"count":1e999}}`,
  "a data URL that is too large": edit({
    image_urls: [`data:image/png;base64,${"A".repeat(4 * 7 * MEBIBYTE)}`],
  }),
}

describe("a large body", () => {
  it("is answered byte for byte as one read in place, whatever it holds", async () => {
    using threads = watchThreads()
    await using places = await openPlaces({ bodyThreadRestMs: NEVER_MS })
    const statuses = new Map<string, number>()
    for (const [name, body] of Object.entries(BODIES)) {
      const { status } = await compare(places, body)
      statuses.set(name, status)
    }
    const accepted = [...statuses].filter(([, status]) => status === 202).map(([name]) => name)
    assert.deepEqual(accepted, Object.keys(BODIES).slice(0, 11))
    assert.equal(threads.started.length, 2, "one for each server")
  })

  it("is the same request under its idempotency key, however it is written", async () => {
    await using places = await openPlaces()
    const { model, parameters } = edit({ image_urls: [IMAGE] })
    const statuses: number[] = []
    for (const body of [
      { model, parameters },
      `${BLANKS}${JSON.stringify({ parameters, model })}`,
      { model, parameters: { ...parameters, count: 2 } },
      { model, parameters: { ...parameters, image_urls: [OTHER] } },
    ]) {
      const { status } = await compare(places, body, "a key")
      statuses.push(status)
    }
    assert.deepEqual(statuses, [202, 202, 422, 422])
  })

  it("agrees with one read in place on generated requests", async (context) => {
    await using places = await openPlaces({ largeBodyBytes: 1 })
    const text = fc.tuple(CREATION, fc.nat()).map(([value, seed]) => writeJson(value, seed))
    const faults = fc.option(fc.array(BYTE_FAULT, { minLength: 1, maxLength: 2 }), { freq: 3 })
    const key = fc.constantFrom("one", "two", undefined)
    let asked = 0
    const property = fc.asyncProperty(text, faults, key, async (body, broken, idempotencyKey) => {
      const whole = Buffer.from(body)
      asked += 1
      await compare(places, broken === null ? whole : breakBytes(whole, broken), idempotencyKey)
    })
    await checkAsync(context, property, 400)
    assert.ok(asked >= 400)
  })

  it("may come in chunks of any size", async () => {
    using threads = watchThreads()
    await using world = await openServer()
    const client = createRawClient(world.server?.url ?? "")
    client.send(
      `POST /v1/tasks HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${world.key}\r\n` +
        "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    )
    const body = Buffer.from(JSON.stringify(edit({ image_urls: [IMAGE, OTHER] })))
    const sizes = [1, 2, 3_000, 70_000, 16_384, 1, 65_536, 65_535, 16_383, 40_000]
    for (let at = 0, turn = 0; at < body.length; turn += 1) {
      const piece = body.subarray(at, at + (sizes[turn % sizes.length] ?? 1))
      client.send(Buffer.concat([bytes(`${piece.length.toString(16)}\r\n`), piece, bytes("\r\n")]))
      at += piece.length
    }
    client.send("0\r\n\r\n")
    assert.match(await client.receive(/\r\n\r\n/), /^HTTP\/1.1 202 /)
    client.socket.destroy()
    assert.equal(threads.started.length, 1)
    const { parameters } = world.fake.requests[0] as { parameters: { image_urls: string[] } }
    assert.deepEqual(parameters.image_urls, [IMAGE, OTHER])
  })

  it("may come in parts of buffers that belong to others", async () => {
    using threads = watchThreads()
    const world = await createWorld("in process")
    const shared = Buffer.alloc(2 * MEBIBYTE)
    let used = 0
    const handler: typeof world.handler = {
      ...world.handler,
      fetch(request, bindings) {
        const { incoming } = (bindings?.node ?? {}) as Partial<NodePair>
        const emit = incoming?.emit.bind(incoming)
        if (incoming === undefined || emit === undefined) throw new Error("a server's request")
        incoming.emit = (name: string, ...values: unknown[]) => {
          const [chunk] = values
          if (name !== "data" || !(chunk instanceof Buffer)) return emit(name, ...values)
          // The first from Node's own pool, which no thread may take.
          const first = Buffer.from(chunk.toString("latin1", 0, 10), "latin1")
          const start = used
          used += chunk.copy(shared, used, 10)
          return emit("data", first) && emit("data", shared.subarray(start, used))
        }
        return world.handler.fetch(request, bindings)
      },
    }
    const server = await createNodeServer({ handler })
    const { headers, ...call } = creation(edit({ image_urls: [IMAGE] }))
    const authorization = `Bearer ${world.key}`
    const init = { ...call, body: call.body as string, headers: { ...headers, authorization } }
    const { status } = await fetch(`${server.url}/v1/tasks`, init)
    await server.close({ graceMs: 0 })
    assert.equal(status, 202)
    assert.equal(shared.length, 2 * MEBIBYTE, "it was not handed over")
    assert.equal(threads.started.length, 1)
  })

  it("counts as held until its task is stored, and no longer", async () => {
    const settings = { bodyBytes: 3 * MEBIBYTE, bodiesInFlightBytes: 3 * MEBIBYTE }
    await using world = await openServer(settings)
    const { service } = world.fake
    const submit = service.submit.bind(service)
    const reached = Promise.withResolvers<void>()
    const stored = Promise.withResolvers<void>()
    service.submit = async (request) => {
      reached.resolve()
      await stored.promise
      return submit(request)
    }
    const call = creation(edit({ image_urls: [IMAGE] }))
    const first = world.call("/v1/tasks", call)
    await reached.promise
    assert.equal((await world.call("/v1/tasks", creation(`${BLANKS}${BLANKS}`))).status, 503)
    stored.resolve()
    assert.equal((await first).status, 202)
    for (const body of ["{", "[", "{}"].map((text) => BLANKS + BLANKS + text)) {
      assert.equal((await world.call("/v1/tasks", creation(body))).status, 400)
    }
    assert.equal((await world.call("/v1/tasks", call)).status, 202)
  })
})
