/** Outputs are real media: ffprobe reads them, at the sizes and lengths that were asked for. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { STUBS } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { probeMedia, skipWithoutProbe } from "./support/probe-media.ts"

const headers = { authorization: "Key test" }

async function make(endpoint: string, input: Readonly<Record<string, unknown>>) {
  await using stub = await STUBS["fal"]!({ runMs: 0 })
  const body = { prompt: "a fox", ...input }
  const { body: accepted } = await callJson(`${stub.url}/${endpoint}`, { headers, body })
  const { body: result } = await callJson(accepted.response_url, { headers })
  const { url } = result.video ?? result.images[0]
  const answer = await fetch(url)
  const probed = probeMedia(await answer.bytes())
  return { type: answer.headers.get("content-type"), ...probed }
}

describe("the media of a stub", { skip: skipWithoutProbe }, () => {
  for (const [format, codec] of [
    ["png", "png"],
    ["jpeg", "mjpeg"],
    ["webp", "webp"],
  ]) {
    it(`are pictures: ${format}`, async () => {
      const input = { image_size: { width: 1000, height: 600 }, output_format: format }
      const { type, codec: found, width, height } = await make("owner/app", input)
      assert.deepEqual([type, found, width, height], [`image/${format}`, codec, 1000, 600])
    })
  }

  for (const [ratio, resolution, width, height] of [
    ["21:9", "1080p", 2520, 1080],
    ["16:9", "720p", 1280, 720],
    ["9:16", "480p", 480, 854],
    ["1:1", "480p", 480, 480],
  ] as const) {
    it(`are films: ${ratio} at ${resolution}`, async () => {
      const found = await make("owner/video", { duration: 4.25, resolution, aspect_ratio: ratio })
      const expected = { codec: "h264", width, height, frames: 107, durationMs: 4_250 }
      assert.deepEqual(found, { type: "video/mp4", ...expected })
    })
  }
})
