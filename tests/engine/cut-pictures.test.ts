/** Pictures at URLs whose servers announce less than they have: no error of HTTP tells that they are cut off. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Channel, MediaInspector, MediaSource } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { STUBS } from "@safelight/testkit/stubs"
import { createScene } from "./support.ts"

const PICTURE_URL = "https://v3.films.example/1"
const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const COMPLETED = { kind: "completed", outputs: [{ url: PICTURE_URL }] } as const
const NO_INSPECTOR: MediaInspector = {
  inspect: () => Promise.reject(new TypeError("a picture is not measured")),
  close: async () => {},
}

/** A picture as a provider makes it. */
async function draw(format: string): Promise<Buffer> {
  await using stub = await (STUBS["fal"]?.({ runMs: 0 }) ?? assert.fail())
  const headers = { authorization: "Key key", "content-type": "application/json" }
  const body = JSON.stringify({ prompt: "fog", image_size: "square", output_format: format })
  const sent = await fetch(`${stub.url}/a/b`, { method: "POST", headers, body })
  const { response_url: url } = (await sent.json()) as { readonly response_url: string }
  const result = await fetch(url, { headers })
  const { images } = (await result.json()) as { readonly images: readonly { url: string }[] }
  return Buffer.from(await (await fetch(images[0]?.url ?? assert.fail())).arrayBuffer())
}

/** What comes of a picture whose first `cuts` downloads bring `cut`. */
async function collect(
  mimeType: string,
  whole: Buffer,
  cut: Buffer,
  cuts: number,
  pieceBytes = 1_000,
) {
  const polls = Array.from({ length: 99 }, () => COMPLETED)
  const channel = createScriptedChannel({ submits: [ACCEPTED], polls })
  const linking: Channel = { ...channel, outputOrigins: { hosts: ["*.films.example"] } }
  let downloads = 0
  const media: MediaSource = {
    async open() {
      downloads += 1
      const bytes = downloads > cuts ? whole : cut
      return { kind: "image", mimeType, body: inPieces(bytes, pieceBytes) }
    },
  }
  const scene = createScene({ channels: [{ channel: linking }], media, inspector: NO_INSPECTOR })
  const { id } = await scene.submit()
  await scene.clock.advance(400_000)
  assert.equal(channel.created.length, 1)
  return { task: await scene.read(id), locators: [...scene.artifacts.locators.values()] }
}

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Uint8Array> {
  // One piece of memory for all, as a reader from a socket may have it.
  const piece = Buffer.alloc(pieceBytes)
  for (let at = 0; at < bytes.length; at += piece.length) {
    const length = bytes.copy(piece, 0, at, at + piece.length)
    yield piece.subarray(0, length)
  }
}

describe("a picture that is cut off", () => {
  for (const format of ["png", "jpeg", "webp"]) {
    const type = `image/${format}`

    it(`is fetched again until it is whole: ${type}`, async () => {
      const whole = await draw(format)
      for (const length of [whole.length - 1, Math.floor(whole.length / 2), 12]) {
        const { locators, task } = await collect(type, whole, whole.subarray(0, length), 3)
        assert.equal(task.state, "succeeded.available")
        assert.deepEqual(locators.map(Buffer.from), [whole])
      }
    })

    it(`is never stored, and fails its task uncharged where it stays so: ${type}`, async () => {
      const whole = await draw(format)
      const { locators, task } = await collect(type, whole, whole.subarray(0, -1), 99)
      assert.deepEqual([task.error?.code, task.chargeMicros, locators.length], ["no_output", 0, 0])
    })

    it(`is not what has something behind its end: ${type}`, async () => {
      const more = Buffer.concat([await draw(format), Buffer.from("written by a program")])
      const { task } = await collect(type, more, more, 0)
      assert.equal(task.state, "succeeded.available")
    })
  }

  it("is told by its last 64 KiB, wherever its end lies and however it comes in pieces", async () => {
    const end = Buffer.from("0000000049454e44ae426082", "hex")
    const tailBytes = 64 * 1024
    const state = async (before: number, behind: number, pieceBytes: number) => {
      const bytes = Buffer.concat([Buffer.alloc(before), end, Buffer.alloc(behind)])
      return (await collect("image/png", bytes, bytes, 0, pieceBytes)).task.state
    }
    assert.equal(await state(tailBytes - 5, 0, 1), "succeeded.available")
    for (const pieceBytes of [999, 3 * tailBytes]) {
      for (const before of [
        0,
        tailBytes - end.length,
        tailBytes - 5,
        tailBytes,
        3 * tailBytes - 1,
      ]) {
        assert.equal(await state(before, 0, pieceBytes), "succeeded.available", `${before}`)
      }
      assert.equal(await state(7, tailBytes - end.length, pieceBytes), "succeeded.available")
      assert.equal(await state(7, tailBytes - end.length + 1, pieceBytes), "failed")
    }
  })

  it("is not told of types that the engine doesn't know", async () => {
    const bytes = Buffer.from("a picture of tomorrow")
    const { task } = await collect("image/tomorrow", bytes, bytes, 0)
    assert.equal(task.state, "succeeded.available")
  })
})
