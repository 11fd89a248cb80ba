/** Answers that are no JSON: their bytes reach a declaration, which makes an output of them, or none. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import {
  createHttpChannel,
  defineProvider,
  toContentOutput,
  type Provider,
  type Reply,
} from "@safelight/channel-http"
import { textToImage, type SubmitOutcome } from "@safelight/core"
import { serve } from "../../support/misbehaving-server.ts"
import { createProvider, toRequest } from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1A\n", "latin1"), Buffer.alloc(600_000, 7)])
const SOUND = Buffer.from("fffb9064", "hex")

interface Told {
  readonly reply: Reply
  readonly outcome: SubmitOutcome
}

/** What a declaration is told of such an answer to a purchase, and what a channel makes of it. */
async function buy(
  t: TestContext,
  type: string | undefined,
  body: Buffer | string,
  change: Partial<Provider> = {},
): Promise<Told> {
  const { origin } = await serve(t, (request, response) => {
    request.resume()
    response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body)
  })
  let reply: Reply | undefined
  const provider = defineProvider({
    ...createProvider(() => Promise.resolve(undefined)),
    readCreate(answer) {
      reply = answer
      const output = toContentOutput(answer.content)
      return { kind: "completed", outputs: output === undefined ? [] : [output] }
    },
    ...change,
  })
  const channel = createHttpChannel({ provider, key: "key", baseUrl: origin })
  t.after(() => channel.close?.())
  const outcome = await channel.submit(toRequest(textToImage.id, {}))
  return { reply: reply ?? assert.fail("nothing was told"), outcome }
}

describe("an answer that is no JSON", () => {
  it("is an output of its own bytes, read in pieces and anew each time", async (t) => {
    const { outcome, reply } = await buy(t, "image/png", PNG)
    assert.equal(reply.json, undefined)
    assert.deepEqual(await readOutputs(outcome), [{ mimeType: "image/png", bytes: PNG }])
    assert.deepEqual(await readOutputs(outcome), [{ mimeType: "image/png", bytes: PNG }])
    assert.ok(outcome.kind === "completed" && outcome.outputs[0] && "open" in outcome.outputs[0])
    const controller = new AbortController()
    const pieces = outcome.outputs[0].open(controller.signal)[Symbol.asyncIterator]()
    const first = (await pieces.next()) as IteratorYieldResult<Uint8Array>
    assert.ok(first.value.length < PNG.length)
    controller.abort()
    await assert.rejects(pieces.next(), { code: "aborted" })
  })

  it("has the type that its bytes have, and else the one that the answer names", async (t) => {
    const types = [
      ["application/octet-stream", PNG, "image/png"],
      ["Audio/MPEG; rate=44100", SOUND, "audio/mpeg"],
      [undefined, SOUND, "application/octet-stream"],
    ] as const
    for (const [type, body, expected] of types) {
      // oxlint-disable-next-line no-await-in-loop -- each has a server
      const [output] = await readOutputs((await buy(t, type, body)).outcome)
      assert.deepEqual(output, { mimeType: expected, bytes: body })
    }
  })

  it("is told as it is where it is a page, and is no content where it is JSON or empty", async (t) => {
    const page = await buy(t, "text/html; charset=utf-8", "<html>")
    assert.equal(page.reply.content?.mimeType, "text/html")
    assert.equal(Buffer.from(page.reply.content.bytes).toString(), "<html>")
    for (const [type, body, json] of [
      ["application/json", '{"a":1}', { a: 1 }],
      ["text/plain", '{"a":1}', { a: 1 }],
      ["image/png", "", undefined],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- each has a server
      const { outcome, reply } = await buy(t, type, body)
      assert.deepEqual([reply.json, "content" in reply], [json, false])
      assert.deepEqual(outcome, { kind: "completed", outputs: [] })
    }
  })
})

describe("an answer to a poll", () => {
  it("is as bounded where it is no JSON: 1 MiB, unless answers hold media", async (t) => {
    const { origin } = await serve(t, (request, response) => {
      request.resume()
      response.writeHead(200, { "content-type": "image/png" }).end(Buffer.alloc(2 * 1024 * 1024))
    })
    const provider = createProvider(async (_operation, send) => {
      const output = toContentOutput((await send({ method: "GET", path: "/" })).content)
      return { kind: "completed", outputs: output === undefined ? [] : [output] }
    })
    const work = { ...toRequest(textToImage.id, {}), operation: {}, progress: 0 }
    for (const [change, fits] of [
      [{}, false],
      [{ answersHoldMedia: true }, true],
    ] as const) {
      const own = { provider: { ...provider, ...change }, key: "key", baseUrl: origin }
      const channel = createHttpChannel(own)
      const polled = channel.poll(work)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (fits) assert.equal((await readOutputs(await polled))[0]?.bytes.length, 2 * 1024 * 1024)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      else await assert.rejects(polled, { code: "channel-unavailable" })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await channel.close?.()
    }
  })
})
