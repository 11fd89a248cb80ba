/** How a film is put into the words of Seedance: frames, references, and what it can't say. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { referenceToVideo } from "@safelight/core"

const { comfyRouter } = PROVIDERS

const model = comfyRouter.models[referenceToVideo.id] ?? assert.fail()
const toUrls = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `https://media.example/${kind}-${index}`)
const toContent = (parameters: object): unknown => {
  const asked = { model: referenceToVideo.id, upstream: "seedance" }
  const { json } = model.toRequest({ ...parameters }, "key", asked)
  return (json as { readonly content: unknown }).content
}

describe("a film of Seedance", () => {
  it("begins with its one image, and ends with the second", () => {
    const [first, last] = toUrls("image", 2)
    assert.deepEqual(toContent({ prompt: "waves", image_urls: [first, last] }), [
      { type: "text", text: "waves" },
      { type: "image_url", image_url: { url: first }, role: "first_frame" },
      { type: "image_url", image_url: { url: last }, role: "last_frame" },
    ])
    assert.deepEqual(toContent({ image_urls: [first] }), [
      { type: "image_url", image_url: { url: first }, role: "first_frame" },
    ])
  })

  it("has references where there are more images, in their order", () => {
    const image_urls = toUrls("image", 3)
    const expected = image_urls.map((url) => {
      return { type: "image_url", image_url: { url }, role: "reference_image" }
    })
    assert.deepEqual(toContent({ image_urls }), expected)
  })

  it("has references alone where a film or a sound is among them", () => {
    const [image, video, audio] = ["image", "video", "audio"].map((kind) => toUrls(kind, 1))
    assert.deepEqual(toContent({ image_urls: image, video_urls: video, audio_urls: audio }), [
      { type: "image_url", image_url: { url: image?.[0] }, role: "reference_image" },
      { type: "video_url", video_url: { url: video?.[0] }, role: "reference_video" },
      { type: "audio_url", audio_url: { url: audio?.[0] }, role: "reference_audio" },
    ])
    for (const more of [{ video_urls: video }, { audio_urls: audio }]) {
      const [first] = toContent({ image_urls: image, ...more }) as readonly { role: string }[]
      assert.equal(first?.role, "reference_image")
    }
  })

  const refused: readonly (readonly [param: string, parameters: object])[] = [
    ["resolution", { prompt: "waves", resolution: "1080p" }],
    ["bitrate_mode", { prompt: "waves", bitrate_mode: "high" }],
    ["video_urls", { prompt: "waves", video_urls: ["data:video/mp4;base64,AAAA"] }],
    ["prompt", { duration: 4 }],
    ["prompt", { prompt: "", image_urls: [] }],
  ]
  for (const [param, parameters] of refused) {
    it(`is not taken with ${JSON.stringify(parameters)}`, () => {
      const answer = model.accepts?.({ ...parameters }, { canLink: false })
      assert.ok(typeof answer === "object")
      assert.equal(answer.param, param)
    })
  }

  it("is taken with all that it can say", () => {
    const audio_urls = ["data:audio/wav;base64,AAAA"]
    assert.equal(
      model.accepts?.(
        { bitrate_mode: "standard", resolution: "480p", audio_urls },
        { canLink: false },
      ),
      true,
    )
  })
})
