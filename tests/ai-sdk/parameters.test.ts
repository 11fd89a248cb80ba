/**
 * The SDK's options as parameters of models: of every image and video model of the catalogue, judged by its own
 * schema, and of parameters that the catalogue has not. The service here is a script that describes a model and
 * refuses to make anything, so what was sent is all that is looked at.
 */
import assert from "node:assert/strict"
import { before, describe, it } from "node:test"
import { createSafelight } from "@safelight/ai-sdk"
import { listCatalogue, type CatalogueModel } from "@safelight/catalogue"
import { experimental_generateVideo as generateVideo, generateImage } from "ai"
import { Ajv2020 } from "ajv/dist/2020.js"
import { muteWarnings } from "./mute-warnings.ts"

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly maximum?: number
  readonly items?: Schema
  readonly "x-media"?: string
}

const PNG = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
const PICTURE = `data:image/png;base64,${Buffer.from(PNG).toString("base64")}`
const OTHER = "https://media.example/other.png"

muteWarnings()

/** The provider of one model, and what it sends. */
function createScripted(
  type: "image" | "video",
  properties: Readonly<Record<string, Schema>>,
  told: object = {},
) {
  const media = Object.entries(properties).flatMap(([name, schema]) => {
    const kind = schema["x-media"] ?? schema.items?.["x-media"]
    return kind === undefined
      ? []
      : [{ param: `parameters.${name}`, type: kind, data_url_types: [] }]
  })
  const info = {
    model: "acme/one",
    available: true,
    unavailable_reason: null,
    media,
    outputs: { type, keys: "image_<n>" },
    price_version: "1",
    price: {},
    limits: { body_bytes: 1, url_characters: 1, data_url_bytes: 1 },
    options: told,
    parameters: { type: "object", properties },
  }
  const sent: Readonly<Record<string, unknown>>[] = []
  const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
    if (init.method !== "POST") return Response.json(info)
    const { parameters } = JSON.parse(init.body as string) as { parameters: (typeof sent)[number] }
    sent.push(parameters)
    const error = { message: "no", type: "billing_error", code: "insufficient_balance" }
    return Response.json({ error }, { status: 402 })
  }
  return { provider: createSafelight({ baseURL: "https://a.example", apiKey: "k", fetch }), sent }
}

type ImageOptions = Omit<Parameters<typeof generateImage>[0], "model">
type VideoOptions = Omit<Parameters<typeof generateVideo>[0], "model">

async function sendImage(
  properties: Readonly<Record<string, Schema>>,
  options: ImageOptions,
  told?: object,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { provider, sent } = createScripted("image", properties, told)
  const making = generateImage({ model: provider.image("acme/one"), ...options })
  await assert.rejects(making, { statusCode: 402 })
  return sent
}

async function sendVideo(
  properties: Readonly<Record<string, Schema>>,
  options: VideoOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { provider, sent } = createScripted("video", properties)
  const making = generateVideo({ model: provider.video("acme/one"), ...options })
  await assert.rejects(making, { statusCode: 402 })
  return sent[0] ?? {}
}

const text: Schema = { type: "string" }
const whole: Schema = { type: "integer" }
const one: Schema = { type: "string", "x-media": "image" }
const list = (kind: string): Schema => ({
  type: "array",
  items: { type: "string", "x-media": kind },
})

describe("options of an image", () => {
  it("are in the parameters that the model itself names, and as many tasks as it takes", async () => {
    const properties = {
      prompt: text,
      width: whole,
      height: whole,
      canvas: text,
      batch: { ...whole, maximum: 2 },
    }
    const told = {
      size: { parameter: "canvas", values: { "640x480": "wide" } },
      n: { parameter: "batch" },
    }
    const sent = await sendImage(properties, { prompt: "a boat", size: "640x480", n: 3 }, told)
    const common = { prompt: "a boat", canvas: "wide" }
    assert.deepEqual(sent, [
      { ...common, batch: 2 },
      { ...common, batch: 1 },
    ])
  })

  it("have the names and forms of the model", async () => {
    const named = { enum: ["square_hd", "landscape_4_3"] }
    const cases: readonly (readonly [Record<string, Schema>, object, object])[] = [
      [{ size: { enum: ["1024x1024"] } }, { size: "1024x1024" }, { size: "1024x1024" }],
      [{ image_size: named }, { size: "1024x768" }, { image_size: "landscape_4_3" }],
      [{ image_size: named }, { aspectRatio: "4:3" }, { image_size: "landscape_4_3" }],
      // Refused by name, and nothing else made in its place.
      [{ image_size: named }, { size: "640x640" }, { image_size: "640x640" }],
      [{ image_size: named }, { aspectRatio: "7:5" }, { image_size: "7:5" }],
      [{ width: whole, height: whole }, { size: "640x480" }, { width: 640, height: 480 }],
      [{ aspect_ratio: text }, { aspectRatio: "16:9" }, { aspect_ratio: "16:9" }],
      [{ seed: whole }, { seed: 0 }, { seed: 0 }],
      [{ seed: whole }, { aspectRatio: "1:1", size: "1x1" }, {}],
      [{ text }, {}, { text: "a boat" }],
    ]
    for (const [properties, options, expected] of cases) {
      const prompt = "text" in properties ? {} : { prompt: text }
      const sent = await sendImage({ ...properties, ...prompt }, { prompt: "a boat", ...options })
      const words = "text" in properties ? {} : { prompt: "a boat" }
      assert.deepEqual(sent, [{ ...words, ...expected }])
    }
  })

  it("are divided into tasks as large as the model makes them", async () => {
    const most4 = { ...whole, maximum: 4 }
    const sent = await sendImage({ prompt: text, num_images: most4 }, { prompt: "a", n: 9 })
    assert.deepEqual(
      sent.map((parameters) => parameters["num_images"]),
      [4, 4, 1],
    )
    assert.equal((await sendImage({ prompt: text }, { prompt: "a", n: 2 })).length, 2)
  })

  it("take pictures and a mask, by address or as data", async () => {
    const prompt = { text: "a", images: [PNG, OTHER], mask: PNG }
    const properties = { prompt: text, mask_url: one, image_url: one, image_urls: list("image") }
    const [all] = await sendImage(properties, { prompt })
    assert.deepEqual(all, { prompt: "a", image_urls: [PICTURE, OTHER], mask_url: PICTURE })
    const [single] = await sendImage(properties, { prompt: { images: [OTHER] } })
    assert.deepEqual(single, { image_url: OTHER })
    const large = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251)
    const [sent] = await sendImage(properties, { prompt: { images: [large] } })
    const [, base64] = String(sent?.["image_url"]).split(",")
    assert.deepEqual(Buffer.from(base64 ?? "", "base64"), Buffer.from(large))
  })

  it("yield to the model's own parameters", async () => {
    const safelight = { parameters: { seed: 2, style: { a: [1] } } }
    const options = { prompt: "a", seed: 1, providerOptions: { safelight } }
    const [sent] = await sendImage({ prompt: text, seed: whole }, options)
    assert.deepEqual(sent, { prompt: "a", seed: 2, style: { a: [1] } })
  })
})

describe("options of a video", () => {
  it("have the names and forms of the model", async () => {
    const ratios = { enum: ["16:9", "9:16", "auto"] }
    const cases: readonly (readonly [Record<string, Schema>, object, object])[] = [
      [{ duration: { enum: ["5", "10"] } }, { duration: 10 }, { duration: "10" }],
      [{ duration: { enum: ["5s", "9s"] } }, { duration: 9 }, { duration: "9s" }],
      [{ duration: { enum: [5, 10] } }, { duration: 5 }, { duration: 5 }],
      [{ duration: { type: "integer" } }, { duration: 7 }, { duration: 7 }],
      [{ duration: { enum: ["5"] } }, { duration: 7 }, { duration: 7 }],
      [{ resolution: { enum: ["720p"] } }, { resolution: "1280x720" }, { resolution: "720p" }],
      [{ resolution: { enum: ["4K"] } }, { resolution: "3840x2160" }, { resolution: "4K" }],
      [
        { resolution: { enum: ["480p"] }, aspect_ratio: ratios },
        { resolution: "480x854" },
        { resolution: "480p", aspect_ratio: "9:16" },
      ],
      [{ aspect_ratio: ratios }, { aspectRatio: "adaptive" }, { aspect_ratio: "auto" }],
      [
        { fps: whole, seed: whole },
        { fps: 24, seed: 3 },
        { fps: 24, seed: 3 },
      ],
      [{ generate_audio: {} }, { generateAudio: false }, { generate_audio: false }],
      [{}, { generateAudio: true, fps: 24, duration: 4, resolution: "1x1" }, {}],
    ]
    for (const [properties, options, expected] of cases) {
      const sent = await sendVideo({ prompt: text, ...properties }, { prompt: "a", ...options })
      assert.deepEqual(sent, { prompt: "a", ...expected })
    }
  })

  it("put frames and references where the model has them", async () => {
    const frames = [
      { image: PNG, frameType: "first_frame" },
      { image: OTHER, frameType: "last_frame" },
    ] as const
    const cases: readonly (readonly [Record<string, Schema>, object, object])[] = [
      [
        { start_image_url: one, end_image_url: one },
        { frameImages: frames },
        { start_image_url: PICTURE, end_image_url: OTHER },
      ],
      [{ image_urls: list("image") }, { frameImages: frames }, { image_urls: [PICTURE, OTHER] }],
      [{ image_url: one }, { frameImages: frames }, { image_url: PICTURE }],
      // A list without its first frame would make a first frame of the last one.
      [{ image_urls: list("image") }, { frameImages: frames.slice(1) }, {}],
      [{ image: one }, { prompt: { image: OTHER, text: "a" } }, { image: OTHER }],
      [
        { image_urls: list("image"), video_url: { ...text, "x-media": "video" } },
        { inputReferences: [OTHER, "https://media.example/a.mp4?x=1"] },
        { image_urls: [OTHER], video_url: "https://media.example/a.mp4?x=1" },
      ],
      [
        { audio_urls: list("audio") },
        { inputReferences: [{ data: "https://media.example/a", mediaType: "audio/mpeg" }, OTHER] },
        { audio_urls: ["https://media.example/a"] },
      ],
    ]
    for (const [properties, options, expected] of cases) {
      const sent = await sendVideo({ prompt: text, ...properties }, { prompt: "a", ...options })
      assert.deepEqual(sent, { prompt: "a", ...expected })
    }
  })
})

describe("ordinary options fit the schema of every model of the catalogue", () => {
  let models: readonly CatalogueModel[]
  const ajv = new Ajv2020({ strict: false, validateFormats: false })

  before(async () => {
    models = await listCatalogue()
  })

  const propertiesOf = ({ file }: CatalogueModel): Readonly<Record<string, Schema>> =>
    file.parameters["properties"] as Readonly<Record<string, Schema>>

  /** What a call leaves out may be required: only what it has is looked at. */
  function assertFits({ file, name }: CatalogueModel, sent: unknown): void {
    const fits = ajv.compile({ ...file.parameters, required: [] })
    assert.ok(fits(sent), `${name}: ${ajv.errorsText(fits.errors)} in ${JSON.stringify(sent)}`)
  }

  it("that makes pictures", async () => {
    const pictures = models.filter(({ file }) => Object.keys(file.outputs)[0] === "image")
    assert.ok(pictures.length > 15)
    for (const model of pictures) {
      const options = { prompt: "a boat", n: 2, aspectRatio: "16:9", seed: 1 } as const
      for (const sent of await sendImage(propertiesOf(model), options)) assertFits(model, sent)
      const prompt = { text: "a boat", images: [OTHER] }
      for (const sent of await sendImage(propertiesOf(model), { prompt })) assertFits(model, sent)
    }
  })

  it("that makes films", async () => {
    const films = models.filter(({ file }) => Object.keys(file.outputs)[0] === "video")
    assert.ok(films.length > 15)
    for (const model of films) {
      const seconds = { prompt: { image: OTHER, text: "a boat" }, generateAudio: true, seed: 1 }
      assertFits(model, await sendVideo(propertiesOf(model), { ...seconds, aspectRatio: "16:9" }))
      const frames = [{ image: OTHER, frameType: "first_frame" }] as const
      const options = { prompt: "a boat", frameImages: [...frames], inputReferences: [OTHER] }
      assertFits(model, await sendVideo(propertiesOf(model), options))
    }
  })
})
