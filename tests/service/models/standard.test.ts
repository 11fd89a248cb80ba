/**
 * A public model whose schema is of zod, from the file of the guide to the bill, and what is wrong with such a file:
 * its folder has zod and nothing else, as an operator's has.
 */
import assert from "node:assert/strict"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, test, type TestContext } from "node:test"
import { loadConfiguration, type Configuration } from "safelight"
import { ROOT } from "../../architecture/workspaces.ts"
import { readExample } from "../../support/read-example.ts"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
} from "../command/command-process.ts"

const ID = "acme/collage"
const IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const SECRET = "hunter2 has a lighthouse"

/** Opens the nested media of a request, as a provider's upload does. */
const CHANNEL = `
import type { CreateChannel } from "safelight"

const create: CreateChannel = () => ({
  name: "collage",
  models: ["${ID}"],
  submission: { kind: "unkeyed" },
  concurrency: 4,
  submitTimeoutMs: 5_000,
  async submit({ inputs, parameters, signal }) {
    const elements = parameters["elements"] as readonly { readonly image_url: string }[]
    const types: string[] = []
    for (const { image_url: url } of elements) {
      const { body, mimeType } = await inputs.open({ url, signal })
      for await (const _ of body);
      types.push(mimeType)
    }
    async function* open(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'><text>" + types.join() + "</text></svg>")
    }
    return { kind: "completed", outputs: [{ mimeType: "image/svg+xml", open }] }
  },
  poll: () => Promise.reject(new Error("everything was complete at once")),
})
export default create
`

/** A file that is right as far as samples can tell: only a text that begins with \`h\` is checked later. */
const LATE = `
import { defineModel } from "@safelight/core"
import * as z from "zod"

export default defineModel({
  id: "acme/late",
  artifacts: "image",
  parameters: z.object({
    prompt: z.string().max(99).refine((text) => text.startsWith("h") ? Promise.reject(new Error(text)) : true),
  }),
  logged: [],
  estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
  price: { perImageMicros: 1 },
})
`

async function createFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, "node_modules"))
  for (const name of ["zod", "arktype", "@ark", "arkregex"]) {
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name))
  }
  return folder
}

test("a model of zod is in the API and its document, takes nested media, and is billed by its price", async (t) => {
  const folder = await createFolder(t)
  await writeFile(join(folder, "my-collage.ts"), readExample("my-collage.ts"))
  await writeFile(join(folder, "late.ts"), LATE)
  await writeFile(join(folder, "my-provider.ts"), CHANNEL)
  await writeFile(
    join(folder, "safelight.config.json"),
    JSON.stringify({
      models: ["./my-collage.ts", "./late.ts", { builtin: false }],
      channels: [{ module: "./my-provider.ts" }],
    }),
  )
  const checked = await runCommand(["models", "check"], { folder, isOwnProcess: true })
  assert.match(checked.stdout, /acme\/collage\n {2}20000 micro-units .* an image/)
  assert.match(checked.stdout, /dearest: \{"size":"4k"\}: 1 image × 20000 × 3/)

  const service = await startServiceProcess(folder)
  const key = parseKey(service.stdout())
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const post = (body: string): Promise<Response> =>
    fetch(`${service.url}/v1/tasks`, { method: "POST", headers, body })
  const ask = (parameters: object, model = ID): Promise<Response> =>
    post(JSON.stringify({ model, parameters }))

  const wrong: readonly (readonly [object, string, string])[] = [
    [{}, "parameters.prompt", "missing_required_parameter"],
    [{ prompt: SECRET, size: "8k" }, "parameters.size", "invalid_value"],
    [{ prompt: "a".repeat(3_000_000) }, "parameters.prompt", "string_above_max_length"],
    [
      { prompt: SECRET, elements: [{ image_url: "data:text/html;base64,AAAA" }] },
      "parameters.elements[0].image_url",
      "invalid_data_url",
    ],
    [{ prompt: SECRET, constructor: 1 }, "parameters.constructor", "unknown_parameter"],
  ]
  for (const [parameters, param, code] of wrong) {
    const response = await ask(parameters)
    const answer = await response.text()
    const { error } = JSON.parse(answer) as { error: { param: string; code: string } }
    assert.deepEqual([response.status, error.param, error.code], [400, param, code])
    assert.doesNotMatch(answer, /hunter2/)
  }
  const deep = `${'{"prompt":'.repeat(20_000)}1${"}".repeat(20_000)}`
  assert.equal((await post(`{"model":"${ID}","parameters":${deep}}`)).status, 400)

  const late = await ask({ prompt: SECRET }, "acme/late")
  assert.equal(late.status, 500)
  assert.doesNotMatch(await late.text(), /hunter2/)

  const environment = { SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: key }
  const words = ["tasks", "submit", "--model", ID, "--wait", "--json", "--parameters"]
  const parameters = { size: "4k", prompt: SECRET, elements: [{ image_url: IMAGE }] }
  const submitted = await runCommand([...words, JSON.stringify(parameters)], {
    folder,
    environment,
  })
  assert.equal(submitted.code, 0, submitted.stderr)
  const { task_id: id } = JSON.parse(submitted.stdout) as { readonly task_id: string }
  const content = `${service.url}/v1/tasks/${id}/artifacts/image_1/content`
  const made = await fetch(content, { headers })
  assert.match(await made.text(), /<text>image\/png<\/text>/)
  const usage = await runCommand(["usage", id], { folder, environment })
  assert.match(usage.stdout, /1 image × 20000 × 3 .*= 60000 micro-units/)

  const shown = await fetch(`${service.url}/v1/models/${ID}`, { headers })
  const { media, parameters: told } = (await shown.json()) as {
    readonly media: readonly { readonly param: string }[]
    readonly parameters: { readonly additionalProperties: boolean; readonly properties: object }
  }
  assert.deepEqual(
    media.map(({ param }) => param),
    ["parameters.elements/image_url"],
  )
  assert.equal(told.additionalProperties, false)
  assert.deepEqual(Object.keys(told.properties), ["prompt", "size", "elements"])
  const document = await (await fetch(`${service.url}/openapi.json`)).text()
  assert.match(document, /"size":\{"default":"square","type":"string","enum":\["square","4k"\]\}/)

  service.kill("SIGTERM")
  assert.equal((await service.ended).code, 0)
  assert.match(service.stderr(), /model acme\/late: its schema answers with a promise/)
  assert.doesNotMatch(service.stderr() + service.stdout(), /hunter2/)
  const replay = await runCommand(["audit", "replay"], { folder, isOwnProcess: true })
  assert.match(replay.stdout, /^1 tasks, \d+ events, charged 60000 micro-units\n/)
})

const PRICES = { "acme/one": { perImageMicros: 1 } }

async function load(t: TestContext, text: string): Promise<Configuration> {
  const folder = await createFolder(t)
  await writeFile(join(folder, "m.mjs"), text)
  const models = ["./m.mjs", { builtin: false }]
  const file = { models, prices: [{ version: "1", models: PRICES }] }
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify(file))
  return loadConfiguration({ flags: {}, environment: {}, folder })
}

function write(parameters: string, members = "logged: []", library = "zod"): string {
  return `import { defineModel } from "@safelight/core"
    import * as z from "${library}"
    import { type } from "arktype"
    export default defineModel({
      id: "acme/one", artifacts: "image", parameters: ${parameters}, ${members},
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
    })`
}

describe("a file with a schema of another library", () => {
  const bad: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    [
      "without bounds",
      write("z.object({ prompt: z.string(), n: z.number() })"),
      /\/parameters\/properties\/prompt may have any length.*; \/parameters\/properties\/n may be any number/,
    ],
    [
      "without JSON Schema",
      write("z.object({ n: z.int() })", "logged: []", "zod/mini"),
      /parameters is a schema of zod that gives no JSON Schema: it needs ~standard\.jsonSchema/,
    ],
    [
      "that answers later",
      write("z.object({ n: z.int() }).refine(async () => true)"),
      /fails for the parameters \{"n":.*\}: model acme\/one: its schema answers with a promise/,
    ],
    [
      "that throws",
      write('type({ n: type("0 <= number <= 1").narrow(() => { throw new Error("no") }) })'),
      /fails for the parameters .*: model acme\/one: its schema throws$/,
    ],
    [
      "that makes no JSON",
      write("z.object({ n: z.int().transform((at) => new Date(at)) })"),
      /fails for the parameters .*: only plain objects/,
    ],
    [
      "that logs a text",
      write("z.object({ a: z.string().max(9) })", 'logged: ["a"]'),
      /m\.mjs \/logged\/0 may not be logged/,
    ],
    [
      "that logs no parameter",
      write('type({ a: "string <= 9" })', 'logged: ["b"]'),
      /m\.mjs \/logged\/0 is no parameter/,
    ],
    [
      "that names no medium",
      write("z.object({ n: z.int() })", 'logged: [], media: { "n/a": "image" }'),
      /\/media\/n~1a is not where the parameters take media of the kind "image"$/,
    ],
  ]
  for (const [name, text, message] of bad) {
    it(`${name} is refused`, async (t) => {
      await assert.rejects(load(t, text), (error: Error & { readonly code?: string }) => {
        assert.equal(error.code, "invalid-configuration")
        assert.match(error.message, /^models: module \S+m\.mjs /)
        assert.match(error.message, message)
        return true
      })
    })
  }

  it("of arktype may have media by path, and log what its JSON Schema lists", async (t) => {
    const schema = `type({ size: "'a' | 'b' = 'a'", n: "0 <= number.integer <= 9", "parts?": type({ url: "string" }).array().atMostLength(2) })`
    const { models } = await load(
      t,
      write(schema, 'logged: ["size", "n"], media: { "parts/url": "video" }'),
    )
    const [own] = models
    assert.deepEqual(own?.logged, ["n", "size"])
    assert.deepEqual(own.check({ n: 1, parts: [{ url: "ftp://a" }] }), {
      kind: "invalid",
      issues: [
        {
          param: "parameters.parts[0].url",
          code: "url_not_allowed",
          message: "parameters.parts[0].url must be an http or https URL without credentials.",
        },
      ],
    })
    const check = own.check({ n: 1 })
    assert.deepEqual(check.kind === "valid" && own.toLogged(check.parameters), { n: 1, size: "a" })
  })
})
