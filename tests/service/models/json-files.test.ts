/** Models of files of JSON and of folders, from the configuration to a task's file. */
import assert from "node:assert/strict"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { DEFAULT_PRICES, MODELS } from "@safelight/core"
import { loadConfiguration, type Configuration } from "safelight"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
} from "../command/command-process.ts"

const BUILTIN = MODELS.map(({ id }) => id)
const [DEFAULT] = DEFAULT_PRICES
const PRICES = DEFAULT.models

function model(id: string, members: object = {}): object {
  return {
    id,
    title: "Flux",
    outputs: { image: "/num_images" },
    parameters: {
      type: "object",
      required: ["prompt"],
      properties: {
        prompt: { type: "string", minLength: 1, maxLength: 500 },
        num_images: { type: "integer", minimum: 1, maximum: 4, default: 1 },
        elements: {
          type: "array",
          maxItems: 2,
          items: {
            type: "object",
            properties: { image_url: { type: "string", format: "uri", "x-media": "image" } },
          },
        },
      },
    },
    price: { perImageMicros: 7 },
    ...members,
  }
}

interface World {
  readonly folder: string
  write(name: string, content: object | string): Promise<void>
  load(file: object): Promise<Configuration>
  fails(file: object): Promise<string>
}

async function createWorld(t: TestContext): Promise<World> {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, "models"))
  const load = async (file: object): Promise<Configuration> => {
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify(file))
    return loadConfiguration({ flags: {}, environment: {}, folder })
  }
  return {
    folder,
    load,
    async write(name, content) {
      const text = typeof content === "string" ? content : JSON.stringify(content)
      await writeFile(join(folder, name), text)
    },
    fails: (file) =>
      load(file).then(
        () => assert.fail("it was taken"),
        (error: Error) => error.message,
      ),
  }
}

describe("models of the configuration", () => {
  it("are the files of a folder in name order, after the three", async (t) => {
    const { load, write } = await createWorld(t)
    await write("models/b.json", model("acme/b"))
    await write("models/a.json", model("acme/a"))
    await write("models/README.md", "no model")
    await write("one.json", model("acme/one"))
    const { models } = await load({ models: ["./one.json", "./models"] })
    assert.deepEqual(
      models.map(({ id }) => id),
      [...BUILTIN, "acme/one", "acme/a", "acme/b"],
    )
  })

  it("are not the three if those are off", async (t) => {
    const { fails, load, write } = await createWorld(t)
    await write("models/a.json", model("acme/a"))
    const { models } = await load({ models: ["./models", { builtin: false }] })
    assert.deepEqual(
      models.map(({ id }) => id),
      ["acme/a"],
    )
    const none = await fails({ models: [{ builtin: false }] })
    assert.match(none, /^models: no model is left: the three are off/)
  })

  const PROTO = JSON.stringify(model("acme/a")).replace('"prompt":{', '"__proto__":{')
  const BAD: readonly (readonly [name: string, content: object | string, message: RegExp])[] = [
    ["is no JSON", "{", /models\/a\.json is no JSON: /],
    ["is huge", " ".repeat(300_000), /models\/a\.json is larger than 262144 bytes$/],
    ["has faults", model("flux", { outputs: 1 }), /a\.json \/id must be an id .*; \/outputs must/],
    ["has the id of one of the three", model(BUILTIN[0] ?? ""), /which one of the three has/],
    ["has a name for what every object has", PROTO, /a\.json \/parameters.*__proto__ must be/],
  ]
  for (const [name, content, message] of BAD) {
    it(`are refused if a file ${name}`, async (t) => {
      const { fails, write } = await createWorld(t)
      await write("models/a.json", content)
      assert.match(await fails({ models: ["./models"] }), message)
    })
  }

  it("are refused if two have one id, a link leads nowhere, or a folder is called a file", async (t) => {
    const { fails, folder, write } = await createWorld(t)
    const file = { models: ["./models"] }
    await write("models/a.json", model("acme/a"))
    await write("models/b.json", model("acme/a"))
    const twice = await fails(file)
    assert.match(twice, /b\.json has the id acme\/a, which module \S+a\.json has already$/)
    await write("models/b.json", model("acme/b"))
    await symlink(join(folder, "models/c.json"), join(folder, "models/c.json"))
    assert.match(await fails(file), /c\.json can't be read: ELOOP$/)
    assert.match(await fails({ models: ["./nowhere"] }), /nowhere can't be read: ENOENT$/)
    await mkdir(join(folder, "d.json/e.json"), { recursive: true })
    assert.match(await fails({ models: ["./d.json"] }), /e\.json is no file$/)
  })

  it("may be priced by a table, which wins, or by their file", async (t) => {
    const { fails, load, write } = await createWorld(t)
    await write("models/a.json", model("acme/a", { price: undefined }))
    const models = ["./models"]
    assert.match(await fails({ models }), /no price for "acme\/a"/)
    const prices = [{ version: "1", models: { ...PRICES, "acme/a": { perImageMicros: 9 } } }]
    await load({ models, prices })
  })
})

const CHANNEL = `
export default () => ({
  name: "flux",
  models: ["acme/flux"],
  submission: { kind: "unkeyed" },
  concurrency: 4,
  submitTimeoutMs: 1_000,
  async submit({ parameters, inputs }) {
    const url = parameters.elements?.[0].image_url
    const text = JSON.stringify({ ...parameters, linked: url && (await inputs.link(url)) })
    const outputs = Array.from({ length: parameters.num_images }, () => ({
      mimeType: "image/svg+xml",
      async *open() {
        yield new TextEncoder().encode(text)
      },
    }))
    return { kind: "completed", outputs }
  },
  poll: () => Promise.reject(new Error("everything was complete at once")),
})
`

it("a model of a file alone is in the API and its document, and its tasks are made", async (t) => {
  const { folder, write } = await createWorld(t)
  await write("models/flux.json", model("acme/flux", { examples: [{ prompt: "fog" }] }))
  await write("channel.mjs", CHANNEL)
  const prices = [{ version: "1", models: { "acme/flux": { perImageMicros: 7 } } }]
  const channels = [{ module: "./channel.mjs" }]
  const models = ["./models", { builtin: false }]
  await write("safelight.config.json", { models, prices, channels })
  const service = await startServiceProcess(folder)
  const headers = {
    authorization: `Bearer ${parseKey(service.stdout())}`,
    "content-type": "application/json",
  }
  const post = async (parameters: object): Promise<Response> =>
    fetch(`${service.url}/v1/tasks`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "acme/flux", parameters }),
    })

  const list = await fetch(`${service.url}/v1/models`, { headers })
  const { models: shown } = (await list.json()) as { models: Record<string, unknown>[] }
  assert.equal(shown.length, 1)
  const [flux] = shown
  assert.equal(flux?.["model"], "acme/flux")
  assert.match(JSON.stringify(flux?.["media"]), /"param":"parameters\.elements\/image_url"/)
  const refused = await post({ prompt: "fog", elements: [{ image_url: "ftp://a" }] })
  const { error } = (await refused.json()) as { error: { param: string } }
  assert.deepEqual([refused.status, error.param], [400, "parameters.elements[0].image_url"])

  const url = "data:image/png;base64,AAAA"
  const created = await post({ prompt: "fog", num_images: 2, elements: [{ image_url: url }] })
  assert.equal(created.status, 202, await created.clone().text())
  const environment = { SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: parseKey(service.stdout()) }
  const parameters = JSON.stringify({ prompt: "fog", num_images: 2 })
  const words = ["tasks", "submit", "--model", "acme/flux", "--wait", "--json", "--parameters"]
  const submitted = await runCommand([...words, parameters], { folder, environment })
  assert.equal(submitted.code, 0, submitted.stderr)
  const { status } = JSON.parse(submitted.stdout) as { status: string }
  assert.equal(status, "succeeded")
})
