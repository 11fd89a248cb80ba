/** What a channel gets of the media that a task refers to: opened through the guarded fetch, or linked. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  DEFAULT_PRICES,
  referenceToVideo,
  SafelightError,
  type ChannelRequest,
  type MediaRequest,
  type MediaSource,
  type TaskInputs,
} from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { createScene } from "./support.ts"

const PICTURE = "data:image/png;base64,iVBORw0KGgo="
const PAGE = "https://media.example/a.png"
const SOUND = "https://media.example/a.mp3"
const MODEL = referenceToVideo.id
const FAILED = new SafelightError({ code: "media_download_failed", message: "as a test wants it" })

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function readInputs(
  parameters: object,
): Promise<{ readonly inputs: TaskInputs; readonly asked: readonly MediaRequest[] }> {
  const requests: ChannelRequest[] = []
  const channel = createScriptedChannel({
    models: [MODEL],
    submits: [
      (request) => {
        requests.push(request)
        return { kind: "refused", code: "provider_rejected" }
      },
    ],
  })
  const asked: MediaRequest[] = []
  const media: MediaSource = {
    async open(request) {
      asked.push(request)
      const [kind = "image"] = request.kinds
      if (request.url === SOUND) throw FAILED
      return { kind, mimeType: `${kind}/told`, bytes: 5, body: once("bytes") }
    },
  }
  const options = { channels: [{ channel }], models: [referenceToVideo], prices: DEFAULT_PRICES }
  const scene = createScene({ ...options, media })
  const sent = await scene.engine.submit({ account: "ada", model: MODEL, parameters })
  assert.equal(sent.kind, "submitted")
  await scene.clock.advance(1_000)
  const [request] = requests
  return { inputs: request?.inputs ?? assert.fail("nothing was submitted"), asked }
}

describe("the inputs of a task", () => {
  const { signal } = new AbortController()

  it("are opened as what their parameter takes, within bounds", async () => {
    const parameters = { image_urls: [PICTURE, PAGE], audio_urls: [SOUND] }
    const { inputs, asked } = await readInputs(parameters)
    const media = await inputs.open({ url: PAGE, signal })
    assert.deepEqual([media.mimeType, media.bytes], ["image/told", 5])
    for await (const chunk of media.body) assert.equal(Buffer.from(chunk).toString(), "bytes")
    await inputs.open({ url: PICTURE, maxBytes: 10, signal })
    await assert.rejects(inputs.open({ url: SOUND, signal }), { code: "media_download_failed" })
    const image = 20 * 1024 * 1024
    assert.deepEqual(
      asked.map(({ url, kinds, maxBytes }) => [url, kinds, maxBytes]),
      [
        [PAGE, ["image"], image],
        [PICTURE, ["image"], 10],
        [SOUND, ["audio"], 200 * 1024 * 1024],
      ],
    )
    assert.ok(asked.every((request) => request.trustedOrigins === undefined))
  })

  it("are those of the parameters alone", async () => {
    const { inputs, asked } = await readInputs({ image_urls: [PICTURE], prompt: PAGE })
    for (const url of [PAGE, "https://media.example/other.png"]) {
      await assert.rejects(inputs.open({ url, signal }), TypeError)
      await assert.rejects(inputs.link(url), TypeError)
    }
    assert.equal(asked.length, 0)
  })

  it("are linked as they are where a caller's server has them", async () => {
    const { inputs } = await readInputs({ image_urls: [PICTURE, PAGE] })
    assert.equal(await inputs.link(PAGE), PAGE)
    assert.equal(await inputs.link(PICTURE), undefined)
  })
})
