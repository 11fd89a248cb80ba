/** What is wrong with a model's file is told before anything is served, naming the file and the field. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { loadConfiguration, type Configuration } from "safelight"
import { temporaryFolder } from "../command/command-process.ts"

const PRICES = {
  "vendor-a/v4.1/flash/text-to-image": { perImageMicros: 1 },
  "vendor-b/imagine-image/v2.0/edit": { perImageMicros: 1 },
  "vendor-c/video-2.5/reference-to-video": { perVideoSecondMicros: 1 },
}
const OWN_PRICES = { ...PRICES, "acme/one": { perImageMicros: 1 } }

/** A file that exports a model of these members, in place of those that are right. */
function model(members: Readonly<Record<string, string>> = {}, parameters = ""): string {
  const all = {
    id: '"acme/one"',
    artifacts: '"image"',
    parameters: `fields({ prompt: v.optional(text(0, 100)), ${parameters} })`,
    logged: "[]",
    estimate: "() => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 })",
    ...members,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value},`)
  return `import { colours, defineModel, fields, integer, mediaUrl, text } from "@safelight/core"
    import * as v from "valibot"
    export default defineModel({ ${lines.join("\n")} })`
}

interface World {
  readonly folder: string
  load(file: object): Promise<Configuration>
}

async function createWorld(t: TestContext, files: readonly string[]): Promise<World> {
  const folder = await temporaryFolder(t)
  for (const [place, text] of files.entries()) await writeFile(join(folder, `m${place}.mjs`), text)
  return {
    folder,
    async load(file) {
      await writeFile(join(folder, "safelight.config.json"), JSON.stringify(file))
      return loadConfiguration({ flags: {}, environment: {}, folder })
    },
  }
}

const ONE = { models: ["./m0.mjs"], prices: [{ version: "1", models: OWN_PRICES }] }

const BAD: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ["throws", "throw new Error('no licence')", /can't be loaded: no licence$/],
  ["is no code", "export default {", /can't be loaded: /],
  [
    "exports nothing",
    "export const a = 1",
    /has no default export that is a model: export default/,
  ],
  [
    "exports a bare object",
    "export default { id: 'acme/one', artifacts: 'image' }",
    /: check is no function; defineModel/,
  ],
  ["has no id", model({ id: "undefined" }), /exports no model: id must be a string$/],
  ["has an id of one word", model({ id: '"Task"' }), /needs an id such as acme\/painter-2/],
  ["has too long an id", model({ id: '"a/" + "b".repeat(200)' }), /of at most 200 characters$/],
  [
    "has the id of one of the three",
    model({ id: '"vendor-b/imagine-image/v2.0/edit"' }),
    /has the id vendor-b\/imagine-image\/v2\.0\/edit, which one of the three has already$/,
  ],
  ["makes a smell", model({ artifacts: '"smell"' }), /artifacts must be .* image, video, audio, /],
  ["makes nothing", model({ artifacts: "[]" }), /artifacts must be one or several of image/],
  ["makes images twice", model({ artifacts: '["image", "image"]' }), /of image, .*, each once$/],
  ["has no schema", model({ parameters: "{}" }), /parameters must be a schema of valibot/],
  ["has a schema that waits", model({ parameters: "v.objectAsync({})" }), /no asynchronous one$/],
  [
    "takes a list",
    model({ parameters: "v.pipe(v.array(text(0, 9)), v.maxLength(9))" }),
    /m0\.mjs \/parameters must be a schema with "type": "object"$/,
  ],
  [
    "drops members",
    model({ parameters: "v.object({})" }),
    /m0\.mjs \/parameters\/additionalProperties must be false: a model takes what it names$/,
  ],
  [
    "takes any member",
    model({}, "more: v.looseObject({})"),
    /\/properties\/more\/additionalProperties must be false/,
  ],
  [
    "takes a record",
    model({}, "more: v.record(v.string(), text(0, 9))"),
    /\/properties\/more\/additionalProperties must be false/,
  ],
  [
    "takes anything",
    model({}, "more: v.unknown()"),
    /\/parameters\/properties\/more takes anything: name its type$/,
  ],
  [
    "takes an endless text",
    model({}, "words: v.string()"),
    /\/parameters\/properties\/words may have any length: add maxLength/,
  ],
  [
    "takes a medium as a text",
    model({}, "photo: text(0, 28_000_000)"),
    /\/properties\/photo\/maxLength must be at most 1000000$/,
  ],
  [
    "takes an endless list",
    model({}, "words: v.array(text(0, 9))"),
    /\/properties\/words may have any number of items/,
  ],
  [
    "takes endless texts",
    model({}, "words: v.pipe(v.array(v.string()), v.maxLength(9))"),
    /\/properties\/words\/items may have any length/,
  ],
  [
    "takes endless colours",
    model({}, 'colors: colours("colors")'),
    /\/properties\/colors may have any number/,
  ],
  [
    "takes a thousand media",
    model({}, 'urls: v.pipe(v.array(mediaUrl("image")), v.maxLength(1_000))'),
    /\/properties\/urls\/items may be 1000 media in one request: at most 100/,
  ],
  ["takes infinity", model({}, "seed: v.number()"), /\/properties\/seed may be any number/],
  [
    "takes half of infinity",
    model({}, "seed: v.pipe(v.number(), v.minValue(0))"),
    /\/properties\/seed may be any number/,
  ],
  [
    "takes a text in one of two forms",
    model({}, "size: v.union([integer(1, 9), v.string()])"),
    /\/properties\/size\/anyOf\/1 may have any length/,
  ],
  [
    "checks what can't be told",
    model({}, "even: v.pipe(integer(0, 9), v.check((n) => n % 2 === 0))"),
    /model acme\/one: parameters\.even can't be described in the API document: .*"check"/,
  ],
  ["takes a date", model({}, "day: v.date()"), /parameters\.day can't be described/],
  [
    "takes itself",
    model({}, "more: v.lazy(function tree() { return v.strictObject({ more: v.lazy(tree) }) })"),
    /parameters\.more can't be described/,
  ],
  [
    "has a pattern with flags",
    model({}, "code: v.pipe(text(0, 9), v.regex(/a/i))"),
    /parameters\.code can't be described.*flags/,
  ],
  [
    "logs what is no parameter",
    model({ logged: '["size"]' }),
    /m0\.mjs \/logged\/0 is no parameter$/,
  ],
  [
    "logs a prompt",
    model({ logged: '["prompt"]' }),
    /\/logged\/0 may not be logged: only whole numbers/,
  ],
  [
    "logs a fraction",
    model({ logged: '["part"]' }, "part: v.pipe(v.number(), v.minValue(0), v.maxValue(1))"),
    /\/logged\/0 may not be logged/,
  ],
  [
    "logs nothing at all",
    model({ logged: '["part"]' }, "part: v.nullable(integer(0, 1))"),
    /\/logged\/0 may not be logged/,
  ],
  [
    "names a text as a medium",
    model({ media: '{ prompt: "image" }' }),
    /\/media\/prompt is not where the parameters take media of the kind "image"$/,
  ],
  [
    "names a picture as a film",
    model({ media: '{ photo: "video" }' }, 'photo: mediaUrl("image")'),
    /\/media\/photo is not where the parameters take media of the kind "video"/,
  ],
  [
    "names media of another kind",
    model({ media: '{ photo: "smell" }' }, 'photo: mediaUrl("image")'),
    /\/media\/photo is not where the parameters take media of the kind "smell"/,
  ],
  [
    "names what is no parameter as a medium",
    model({ media: '{ photo: "image" }' }),
    /\/media\/photo is not where/,
  ],
  [
    "keeps media to itself",
    model({}, 'photos: v.optional(v.nullable(v.pipe(v.array(mediaUrl("audio")), v.maxLength(2))))'),
    /\/media lacks "photos", which no channel would get: add it as "audio"$/,
  ],
  [
    "hides media",
    model({}, 'deep: fields({ photo: mediaUrl("image") })'),
    /\/media lacks "deep\/photo", which no channel would get: add it as "image"$/,
  ],
  [
    "charges as it likes",
    model({ charge: "() => 1" }),
    /may not charge by a rule of its own: leave charge out$/,
  ],
  [
    "charges by the picture alone",
    model({ charge: "({ images }, price) => images * (price.perImageMicros ?? 0)" }),
    /may not charge by a rule of its own/,
  ],
  [
    "can't charge",
    model({ charge: "() => { throw new Error('no') }" }),
    /may not charge by a rule/,
  ],
  ["estimates nothing", model({ estimate: "() => undefined" }), /estimate must give whole numbers/],
  [
    "estimates a part",
    model({ estimate: "() => ({ images: 0.5, inputVideosMs: [], outputVideoMs: 0 })" }),
    /fails for the parameters {}: estimate must give whole/,
  ],
  [
    "estimates images for a film",
    model({ artifacts: '"video"' }),
    /estimate gives no outputVideoMs, so that nothing/,
  ],
  [
    "fails on a parameter",
    model(
      {
        estimate: "({ count }) => ({ images: count.length, inputVideosMs: [], outputVideoMs: 0 })",
      },
      "count: v.optional(integer(1, 4), 1)",
    ),
    /fails for the parameters {}: estimate must give/,
  ],
  [
    "makes what is no JSON",
    model({}, "day: v.pipe(text(0, 9), v.transform((words) => new Date(words)))"),
    /fails for the parameters \{.*"day":"a".*\}: only plain objects/,
  ],
]

describe("a model's file that", () => {
  for (const [name, text, message] of BAD) {
    it(`${name} is refused`, async (t) => {
      const { folder, load } = await createWorld(t, [text])
      const error = await load(ONE).then(
        () => assert.fail("it was taken"),
        (refusal: Error) => refusal,
      )
      assert.ok(
        error.message.startsWith(`models: module ${join(folder, "m0.mjs")} `),
        error.message,
      )
      assert.match(error.message, message)
      assert.equal((error as { code?: string }).code, "invalid-configuration")
    })
  }

  it("is not there is refused", async (t) => {
    const { load } = await createWorld(t, [])
    await assert.rejects(
      load(ONE),
      /^SafelightError: models: module \S+m0\.mjs can't be loaded: Cannot find/,
    )
  })

  it("takes the id of another is refused", async (t) => {
    const { folder, load } = await createWorld(t, [model(), model()])
    const message = `models: module ${join(folder, "m1.mjs")} has the id acme/one, which module ${join(folder, "m0.mjs")} has already`
    await assert.rejects(load({ ...ONE, models: ["./m0.mjs", "./m1.mjs"] }), { message })
  })

  it("is named like a package is refused", async (t) => {
    const { load } = await createWorld(t, [])
    const message =
      /safelight\.config\.json: models\[0\]: expected a path, such as \.\/my-model\.ts$/
    await assert.rejects(load({ models: ["my-model"] }), message)
  })
})

describe("the prices of a model of one's own", () => {
  it("are missed where no table is configured, and told how to add", async (t) => {
    const { load } = await createWorld(t, [model()])
    const message =
      'safelight.config.json: prices: the built-in table has no price for "acme/one": add a table for every model, with "acme/one": {"perImageMicros": …}'
    await assert.rejects(load({ models: ONE.models }), { code: "invalid-configuration", message })
  })

  it("are missed where the last table lacks it, or its rate", async (t) => {
    const { load } = await createWorld(t, [model()])
    const message =
      'safelight.config.json: prices: the last table has no price for "acme/one": add "acme/one": {"perImageMicros": …}'
    for (const models of [PRICES, { ...PRICES, "acme/one": { perVideoSecondMicros: 1 } }]) {
      await assert.rejects(load({ ...ONE, prices: [{ version: "1", models }] }), { message })
    }
  })

  it("are strange where its file is gone from the configuration", async (t) => {
    const { load } = await createWorld(t, [])
    const message =
      'safelight.config.json: prices: the last table prices "acme/one", which is no model'
    await assert.rejects(load({ prices: ONE.prices }), { message })
  })
})

describe("a model's file", () => {
  it("may hold all that can be told and has bounds", async (t) => {
    const parts = [
      'photo: mediaUrl("image")',
      'films: v.optional(v.pipe(v.array(mediaUrl("video")), v.maxLength(100)), [])',
      'parts: v.optional(v.pipe(v.array(fields({ sound: v.nullable(mediaUrl("audio")) })), v.maxLength(9)))',
      "seed: v.nullish(v.pipe(v.number(), v.safeInteger()))",
      "part: v.pipe(v.number(), v.gtValue(0), v.ltValue(1), v.multipleOf(0.5))",
      "code: v.pipe(v.string(), v.maxLength(9), v.regex(/^[a-z]+$/))",
      "mail: v.optional(v.pipe(v.string(), v.maxLength(99), v.email()))",
      "day: v.optional(v.pipe(v.string(), v.isoDate()))",
      "kind: v.variant('type', [v.strictObject({ type: v.literal('a'), at: integer(0, 9) }), v.strictObject({ type: v.literal('b') })])",
      "pair: v.optional(v.strictTuple([integer(0, 9), v.boolean()]))",
      "mode: v.union([v.picklist(['auto']), integer(1, 9)])",
      "even: v.optional(v.picklist([2, 4]))",
      "name: v.optional(v.pipe(text(0, 9), v.trim(), v.toLowerCase()))",
    ]
    const { load } = await createWorld(t, [
      model(
        {
          logged: '["mode", "even"]',
          media: '{ photo: "image", films: "video", "parts/sound": "audio" }',
        },
        parts.join(", "),
      ),
    ])
    const { models } = await load(ONE)
    assert.deepEqual(
      models.map(({ id }) => id),
      [...Object.keys(PRICES), "acme/one"],
    )
    const own = models.at(-1)
    assert.deepEqual(own?.logged, ["even", "mode"])
    const wrong = own?.check({
      photo: "ftp://a",
      part: 0.3,
      code: "A",
      kind: { type: "a", at: 1 },
      mode: 0,
      even: 3,
      mail: "a",
    })
    assert.ok(wrong?.kind === "invalid")
    assert.deepEqual(
      wrong.issues.map(({ code, message }) => `${code} ${message}`),
      [
        "url_not_allowed parameters.photo must be an http or https URL without credentials.",
        "invalid_value parameters.part must be a multiple of 0.5.",
        "invalid_value parameters.code must match /^[a-z]+$/.",
        "invalid_value parameters.mail must be what email takes.",
        "integer_below_min_value parameters.mode must be at least 1.",
        "invalid_value parameters.even must be one of 2, 4.",
      ],
    )
  })
})
