/** Images to be edited, by forms and by JSON, before a real service. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateImage } from "ai"
import { BadRequestError, toFile } from "openai"
import sharp from "sharp"
import { startLyingProxy } from "../../support/lying-proxy.ts"
import { EDIT, fail, IMAGE, loseAnswers, startDoor, type Door, type Opened } from "./open-door.ts"

const PATH = "/openai/v1/images/edits"

let door: Door
let png: Buffer
before(async () => {
  door = await startDoor()
  png = await sharp({ create: { width: 64, height: 64, channels: 3, background: "red" } })
    .png()
    .toBuffer()
})
after(() => door[Symbol.asyncDispose]())

function send(
  { apiKey, baseURL }: Opened,
  body: string | Uint8Array<ArrayBuffer> | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const authorization = `Bearer ${apiKey}`
  return fetch(`${baseURL}/images/edits`, {
    method: "POST",
    headers: { authorization, ...headers },
    body,
  })
}

const JSON_TYPE = { "content-type": "application/json" }

async function readCode(answer: Response): Promise<unknown[]> {
  const { error } = (await answer.json()) as { error: { code: string; param: string | null } }
  return [answer.status, error.code, error.param]
}

describe("images.edit of the official package", () => {
  it("edits one image, and several, with options that a form has as texts", async () => {
    const { api, openai } = await door.open()
    const one = await toFile(png, "a.png")
    const edited = await openai.images.edit({
      model: EDIT,
      prompt: "in snow",
      image: one,
      response_format: "b64_json",
    })
    const bytes = Buffer.from(edited.data?.[0]?.b64_json ?? "", "base64")
    assert.equal((await sharp(bytes).metadata()).format, "jpeg")
    const both = [await toFile(png, "a.png", { type: "image/png" }), await toFile(png, "b")]
    const asked = { model: EDIT, prompt: "in snow", image: both, n: 2, user: "u-2" } as const
    const more = await openai.images.edit({ ...asked, output_format: "webp" })
    assert.equal(more.data?.length, 2)
    const { tasks } = await api.listPage({ label: ["openai-user=u-2"] })
    const id = tasks[0]?.task_id ?? assert.fail()
    const usage = await api.taskUsage(id)
    assert.deepEqual([usage.model, usage.images_asked], [EDIT, 2])
    const [made] = await api.artifacts(id)
    assert.equal(made?.mime_type, "image/webp")
  })

  it("streams events of edits", async () => {
    const { openai } = await door.open()
    const image = await toFile(png, "a.png")
    const stream = await openai.images.edit({ model: EDIT, prompt: "snow", image, stream: true })
    const types = []
    for await (const { type } of stream) types.push(type)
    assert.deepEqual(types, ["image_edit.completed"])
  })

  it("refuses by name what the model has no parameter for, and what is no image", async () => {
    const { countTasks, openai } = await door.open()
    const image = await toFile(png, "a.png")
    const text = await toFile(Buffer.from("no image at all"), "a.txt")
    for (const [given, param, code] of [
      [{ mask: image }, "mask", "unsupported_parameter"],
      [{ quality: "xhigh" }, "quality", "invalid_value"],
      [{ style: "vivid" }, "style", "unsupported_parameter"],
      [{ markup: image }, "markup", "unknown_parameter"],
      [{ image: text }, "image", "invalid_value"],
      [{ partial_images: 9 }, "partial_images", "invalid_value"],
      [{ n: 99 }, "n", "integer_above_max_value"],
    ] as const) {
      const asked = { model: EDIT, prompt: "snow", image, ...given }
      const error = await fail(openai.images.edit(asked as typeof asked & { quality: "auto" }))
      assert.ok(error instanceof BadRequestError, String(error))
      assert.deepEqual([error.param, error.code], [param, code])
    }
    const other = await fail(openai.images.edit({ model: IMAGE, prompt: "snow", image }))
    assert.ok(other instanceof BadRequestError && other.param === "image")
    assert.equal(await countTasks(), 0)
  })

  it("buys once where its answer is lost, though each form has another boundary", async () => {
    await using proxy = await startLyingProxy(door.service.url)
    const { countTasks, openai } = await door.open({ url: proxy.url })
    const countTries = loseAnswers(proxy, PATH, 2)
    const image = await toFile(png, "a.png")
    await openai.images.edit({ model: EDIT, prompt: "snow", image })
    assert.equal(countTries(), 3)
    assert.equal(await countTasks(), 1)
    const other = await toFile(await sharp(png).negate().png().toBuffer(), "a.png")
    const headers = { "x-stainless-retry-count": "1" }
    await openai.images.edit({ model: EDIT, prompt: "snow", image: other }, { headers })
    assert.equal(await countTasks(), 2)
  })
})

describe("an edit as JSON", () => {
  it("takes images by data URL, as texts or as objects", async () => {
    const opened = await door.open()
    const url = `data:image/png;base64,${png.toString("base64")}`
    for (const images of [{ images: [{ image_url: url }] }, { image: url }, { image: [url] }]) {
      const body = JSON.stringify({ model: EDIT, prompt: "snow", ...images })
      assert.equal((await send(opened, body, JSON_TYPE)).status, 200)
    }
  })

  it("refuses what it can't have by its place", async () => {
    const opened = await door.open()
    const named = { file_id: "file-1" }
    for (const [given, ...told] of [
      [{ images: [named] }, "unsupported_parameter", "images[0].file_id"],
      [{ images: [{}] }, "invalid_type", "images[0].image_url"],
      [
        { images: [{ image_url: "https://a.example/", detail: "x" }] },
        "unknown_parameter",
        "images[0].detail",
      ],
      [{ image: 7 }, "invalid_type", "image"],
      [{}, "missing_required_parameter", "image"],
      [{ image: "ftp://a.example/x.png" }, "url_not_allowed", "image"],
    ] as const) {
      const body = JSON.stringify({ model: EDIT, prompt: "snow", ...given })
      assert.deepEqual(await readCode(await send(opened, body, JSON_TYPE)), [400, ...told])
    }
    assert.equal(await opened.countTasks(), 0)
  })
})

describe("a form that means harm", () => {
  it("is refused: cut off, of many parts, too large, compressed, twice the same member", async () => {
    const opened = await door.open()
    const type = { "content-type": "multipart/form-data; boundary=b" }
    const cut = await send(opened, "--b\r\ncontent-disposition: form-data", type)
    assert.deepEqual((await readCode(cut)).slice(0, 2), [400, "malformed_request"])
    const part = '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\ny\r\n'
    const many = await send(opened, `${part.repeat(101)}--b--\r\n`, type)
    assert.deepEqual((await readCode(many)).slice(0, 2), [400, "malformed_request"])
    // What only looks like parts is none, and takes no longer for it.
    const dashes = "-".repeat(70)
    const inside = `${dashes}\r\n`.repeat(50_000)
    const body = `--${dashes}x\r\ncontent-disposition: form-data; name="model"\r\n\r\n${inside}\r\n--${dashes}x--\r\n`
    const alike = await send(opened, body, {
      "content-type": `multipart/form-data; boundary=${dashes.slice(1)}x`,
    })
    assert.equal(alike.status, 400)
    const large = await send(opened, Buffer.alloc(17 * 1024 * 1024, "-"), type)
    assert.deepEqual((await readCode(large)).slice(0, 2), [413, "request_too_large"])
    const packed = await send(opened, part, { ...type, "content-encoding": "gzip" })
    assert.equal(packed.status, 415)
    const none = await send(opened, part, { "content-type": "multipart/form-data" })
    assert.equal(none.status, 415)
    const twice = new FormData()
    twice.append("model", EDIT)
    twice.append("model", IMAGE)
    assert.deepEqual((await readCode(await send(opened, twice))).slice(1), [
      "missing_required_parameter",
      "model",
    ])
    const mixed = new FormData()
    mixed.append("image", "https://a.example/x.png")
    mixed.append("image[image_url]", "https://a.example/y.png")
    assert.deepEqual((await readCode(await send(opened, mixed))).slice(2), ["image[image_url]"])
    const proto = new FormData()
    for (const [name, value] of Object.entries({ model: EDIT, prompt: "x", image: "x" })) {
      proto.append(name, value)
    }
    proto.append("__proto__[a]", "1")
    assert.deepEqual((await readCode(await send(opened, proto))).slice(2), ["__proto__"])
    assert.equal(await opened.countTasks(), 0)
  })

  it("is JSON of more than a message", async () => {
    const opened = await door.open()
    const body = JSON.stringify({ model: EDIT, prompt: "x".repeat(5_000_000) })
    assert.equal((await send(opened, body, JSON_TYPE)).status, 413)
  })

  it("holds up nobody: what is made of a large image is read in a thread", async () => {
    const opened = await door.open()
    const noise = { mean: 128, sigma: 60, type: "gaussian" } as const
    const create = { width: 2_000, height: 2_000, channels: 3, background: "red", noise } as const
    const large = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer()
    assert.ok(large.length > 10_000_000)
    const form = new FormData()
    form.append("model", EDIT)
    form.append("prompt", "x")
    form.append("image", new Blob([new Uint8Array(large)], { type: "image/png" }))
    let threads = 0
    const count = (): void => void (threads += 1)
    process.on("worker", count)
    const { status } = await send(opened, form)
    process.off("worker", count)
    assert.deepEqual([status, threads], [200, 1])
  })
})

describe("image models of the AI SDK's provider for compatible services", () => {
  it("generate and edit", async () => {
    const { apiKey, baseURL } = await door.open()
    const provider = createOpenAICompatible({ name: "safelight", apiKey, baseURL })
    const made = await generateImage({ model: provider.imageModel(IMAGE), prompt: "fog" })
    assert.equal(made.image.mediaType, "image/png")
    const edited = await generateImage({
      model: provider.imageModel(EDIT),
      prompt: { text: "in snow", images: [png, png] },
    })
    assert.equal(edited.image.mediaType, "image/jpeg")
  })
})
