/** Channels that the configuration names: a provider is asked first, the studio behind it, keys from the environment. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { loadConfiguration, type Configuration, type Service } from "safelight"
import type { RunningStub } from "@safelight/testkit/stubs"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers/promises"
import { join } from "node:path"
import sharp from "sharp"
import type { LogRecorder } from "../../engine/log-recorder.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { temporaryFolder } from "../command/command-process.ts"
import { makeTask, openOwnServices } from "../own-services.ts"

const KEY = "id-of-a-key:secret-of-a-key"

const PICTURE = await sharp({
  create: { width: 64, height: 48, channels: 3, background: "#7a3" },
})
  .png()
  .toBuffer()

/** As a person writes it: without a build, and with nothing imported that runs. */
const OWN_PROVIDER = `
import type { Provider } from "@safelight/channel-http"

export default {
  name: "own",
  baseUrl: "https://queue.fal.run",
  keyVariable: "OWN_KEY",
  authorize: (key) => ({ authorization: \`Key \${key}\` }),
  outputHosts: ["*.fal.media"],
  submission: { kind: "unkeyed" },
  concurrency: 2,
  submitTimeoutMs: 30_000,
  models: {
    "vendor-a/v4.1/flash/text-to-image": {
      toRequest: ({ prompt = "" }) => ({
        method: "POST",
        path: "/recraft/v4.1/flash/text-to-image",
        json: { prompt },
      }),
    },
  },
  readCreate: ({ json }) => ({ kind: "accepted", operation: json ?? {} }),
  async poll(operation, send) {
    const path = String((operation as { response_url?: string }).response_url)
    const { json, status } = await send({ method: "GET", path })
    if (status !== 200) return { kind: "running", pollAfterMs: 50 }
    const { images } = json as { images: { url: string }[] }
    return { kind: "completed", outputs: images.map(({ url }) => ({ url })) }
  },
} satisfies Provider
`

const OWN_CHANNEL = `
import type { CreateChannel } from "safelight"

const create: CreateChannel = ({ environment, name = "own" }) => ({
  name,
  models: ["vendor-a/v4.1/flash/text-to-image"],
  submission: { kind: "unkeyed" },
  concurrency: 1,
  submitTimeoutMs: 1_000,
  async submit() {
    const text = \`<svg xmlns="http://www.w3.org/2000/svg"><title>\${environment["COLOUR"]}</title></svg>\`
    const bytes = new TextEncoder().encode(text)
    async function* open(): AsyncGenerator<Uint8Array> {
      yield bytes
    }
    return { kind: "completed", outputs: [{ mimeType: "image/svg+xml", open }] }
  },
  poll: () => Promise.reject(new Error("everything was complete at once")),
})
export default create
`

interface World extends LogRecorder {
  readonly folder: string
  readonly stub: RunningStub
  start(
    channels: Configuration["channels"],
    environment?: Record<string, string>,
    more?: Partial<Configuration>,
  ): Promise<Service>
}

async function createWorld(t: TestContext): Promise<World> {
  const { start, startStub, ...others } = await openOwnServices(t)
  return {
    ...others,
    stub: await startStub("fal"),
    start: (channels, environment = {}, more = {}) => start({ channels, ...more }, { environment }),
  }
}

describe("the channels of a configuration", () => {
  it("are asked in their tiers; what one can't express the next one makes", async (t) => {
    const { start, stub } = await createWorld(t)
    const channels = [
      { type: "fal", tier: 1, baseUrl: stub.url },
      { type: "studio", tier: 2 },
    ]
    const service = await start(channels, { FAL_KEY: KEY })
    const picture = await makeTask(service)
    assert.deepEqual([picture.state, picture.dispatch?.channel], ["succeeded.available", "fal"])
    assert.equal(picture.artifacts[0]?.mimeType, "image/png")
    assert.equal(stub.purchases.length, 1)
    const film = await makeTask(service, {
      account: "sample",
      model: "vendor-c/video-2.5/reference-to-video",
      parameters: { prompt: "waves", duration: 4 },
    })
    const [artifact] = film.artifacts
    assert.deepEqual([film.dispatch?.channel, artifact?.mimeType], ["fal", "video/mp4"])
    assert.ok(Math.abs((artifact?.durationMs ?? 0) - 4_000) < 100, "it was measured")
  })

  it("are left out without a key, with a line that names the variable and not the key", async (t) => {
    const { entries, start, stub } = await createWorld(t)
    const channels = [
      { type: "fal", baseUrl: stub.url, keyVariable: "MY_FAL_KEY" },
      { type: "studio" },
    ]
    const service = await start(channels, { FAL_KEY: KEY })
    const [error] = entries.filter(({ level }) => level === "error")
    const reason = "the variable is empty"
    assert.deepEqual(error?.fields, { channel: "fal", variable: "MY_FAL_KEY", reason })
    const { dispatch } = await makeTask(service)
    assert.equal(dispatch?.channel, "studio")
    assert.deepEqual(stub.purchases, [])
    assert.ok(!JSON.stringify(entries).includes("secret-of-a-key"))
  })

  const wrong: readonly (readonly [string, Configuration["channels"], RegExp])[] = [
    [
      "of an unknown type",
      [{ type: "nobody" }],
      /^channels: "nobody" is no type: choose one of studio, (.*, )?fal\b/,
    ],
    ["of which none has a key", [{ type: "fal" }], /^channels: none of them has its key/],
    [
      "with a model that it can't make",
      [{ type: "fal", models: ["vendor-x/picture"] }],
      /^channels: fal: fal has no model vendor-x\/picture: "models": \{ "vendor-x\/picture": "…" \} names/,
    ],
    [
      "with the life of a key that its provider doesn't honour",
      [{ type: "fal", keyTtlMs: 1_000 }],
      /^channel fal: keyTtlMs is for providers/,
    ],
    [
      "with a repeat of what costs money",
      [{ type: "fal", repeat: true }],
      /^channel fal does not say that it costs nothing: repeat is not for it$/,
    ],
    [
      "that call a provider free",
      [{ type: "fal", isFree: true }],
      /^channel fal: isFree is for a server of one's own, which baseUrl names$/,
    ],
  ]
  for (const [words, channels, message] of wrong) {
    it(`${words} refuse the start`, async (t) => {
      const { start } = await createWorld(t)
      const environment = words.includes("none") ? {} : { FAL_KEY: KEY }
      await assert.rejects(start(channels, environment), { code: "invalid-configuration", message })
    })
  }

  const modules: readonly (readonly [string, string, RegExp])[] = [
    ["can't be read", "", /^channels: module \S+ can't be loaded: /],
    [
      "throws",
      "throw new Error('no licence')",
      /^channels: module \S+ can't be loaded: no licence$/,
    ],
    ["exports nothing", "export const a = 1", /has no default export that is a provider/],
    ["exports no provider", "export default {}", /exports no provider: name must be a string$/],
    [
      "exports an unfinished provider",
      `export default { name: "own", baseUrl: "http://a.example", keyVariable: "OWN_KEY",
        authorize() {}, outputHosts: [], submission: {}, models: null }`,
      /exports no provider: models must be an object$/,
    ],
    [
      "fails to make one",
      "export default () => { throw new Error('no licence') }",
      /^channels: module \S+ made no channel: no licence$/,
    ],
    [
      "makes no channel",
      "export default () => undefined",
      /made no channel: name must be a string$/,
    ],
  ]
  for (const [words, text, message] of modules) {
    it(`from a module that ${words} refuse the start`, async (t) => {
      const { start, folder } = await createWorld(t)
      const module = join(folder, "own.mjs")
      if (text !== "") await writeFile(module, text)
      await assert.rejects(start([{ module }]), { code: "invalid-configuration", message })
    })
  }

  it("are made by a provider in a file of one's own, which stands beside the configuration", async (t) => {
    const { start, folder, stub } = await createWorld(t)
    await writeFile(join(folder, "own.ts"), OWN_PROVIDER)
    const channels = [{ module: "./own.ts", baseUrl: stub.url }]
    const config = join(folder, "safelight.config.json")
    await writeFile(config, JSON.stringify({ channels }))
    const source = { flags: { config }, environment: {}, folder: "/" }
    const read = await loadConfiguration(source)
    assert.equal(read.channels[0]?.module, join(folder, "own.ts"))
    const picture = await makeTask(await start(read.channels, { OWN_KEY: KEY }))
    assert.deepEqual([picture.state, picture.dispatch?.channel], ["succeeded.available", "own"])
  })

  it("are made by a function in a file of one's own", async (t) => {
    const { start, folder } = await createWorld(t)
    const module = join(folder, "own.ts")
    await writeFile(module, OWN_CHANNEL)
    const picture = await makeTask(await start([{ module, name: "mine" }], { COLOUR: "red" }))
    assert.deepEqual([picture.state, picture.dispatch?.channel], ["succeeded.available", "mine"])
    assert.equal(picture.artifacts[0]?.mimeType, "image/svg+xml")
  })

  it("of a server of one's own are asked so often, and repeat what is in doubt", async (t) => {
    const { start, stub } = await createWorld(t)
    const own = { type: "fal", baseUrl: stub.url, isFree: true, repeat: true } as const
    const channels = [
      { ...own, tier: 1, requestsPerMinute: 1 },
      { type: "studio", tier: 2, repeat: true },
    ]
    const service = await start(channels, { FAL_KEY: KEY })
    const made = [await makeTask(service), await makeTask(service)]
    assert.deepEqual(
      made.map(({ dispatch }) => dispatch?.channel),
      ["fal", "studio"],
    )
    assert.match(made[1]?.dispatch?.because ?? "", /; fal: its minute is full$/)
  })

  it("fetch outputs from hosts that the configuration names, and from no other", async (t) => {
    const { entries, folder, start, stub } = await createWorld(t)
    const server = createServer((_, response) => response.end(PICTURE)).listen(0, "127.0.0.1")
    t.after(() => server.close())
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const outputs = `[{ url: "http://127.0.0.1:${port}/1.png" }]`
    const module = join(folder, "own.ts")
    const outcome = `{ kind: "completed", operation: { id: "1" }, outputs: ${outputs} }`
    const text = OWN_PROVIDER.replace(/readCreate: .*,\n/, `readCreate: () => (${outcome}),\n`)
    await writeFile(
      module,
      text.replace(/async poll[^]*\n  },\n/, `poll: async () => (${outcome}),\n`),
    )
    const own = { module, baseUrl: stub.url }
    const media = { allowedAddresses: ["127.0.0.0/8"] }
    const named = await start([{ ...own, outputHosts: ["127.0.0.1"] }], { OWN_KEY: KEY }, { media })
    assert.equal((await makeTask(named)).state, "succeeded.available")
    await named.stop()
    const other = [{ ...own, outputHosts: ["media.example"] }]
    const unnamed = await start(other, { OWN_KEY: KEY }, { media })
    const sent = await unnamed.engine.submit(SAMPLE_REQUEST)
    assert.ok(sent.kind === "submitted")
    const isRefused = (): boolean =>
      entries.some(({ fields }) => String(fields["error"]).includes("its host is not allowed"))
    while (!isRefused()) await setImmediate()
    const told = entries.filter(({ message }) => message === "output host refused")
    assert.deepEqual(
      told.map(({ fields, level }) => [level, fields["host"], fields["add"]]),
      [["error", "127.0.0.1", '"outputHosts": ["127.0.0.1"]']],
    )
    // What was paid for waits for whoever puts the configuration right.
    assert.deepEqual(stub.purchases.length, 2)
  })

  const misspelt: readonly (readonly [string, unknown, RegExp])[] = [
    ["no list", {}, /channels: expected a list of channels$/],
    ["an empty list", [], /channels: expected at least one channel$/],
    [
      "two of one name",
      [{ type: "fal" }, { type: "fal" }],
      /channels: two channels have one name$/,
    ],
    ["an unknown field", [{ type: "fal", key: "x" }], /unknown field "channels\[0\]\.key"$/],
    ["a tier of nothing", [{ type: "fal", tier: 0 }], /channels\[0\]\.tier: expected a whole/],
    ["neither type nor module", [{ tier: 1 }], /channels\[0\]: expected either a type/],
    ["both", [{ type: "fal", module: "./a.ts" }], /channels\[0\]: expected either a type/],
    ["a module by no path", [{ module: "a" }], /channels\[0\]\.module: expected a path/],
    [
      "a host with a port",
      [{ type: "fal", outputHosts: ["media.example:443"] }],
      /channels\[0\]\.outputHosts\[0\]: expected a host in lower case without a port/,
    ],
    [
      "a minute without a request",
      [{ type: "fal", requestsPerMinute: 0 }],
      /channels\[0\]\.requestsPerMinute: expected a whole/,
    ],
    [
      "a free provider",
      [{ type: "fal", isFree: true }],
      /channels\[0\]: isFree is for a server of one's own, which baseUrl names$/,
    ],
    [
      "hosts of the studio's outputs",
      [{ type: "studio", outputHosts: ["media.example"] }],
      /channels\[0\]: isFree and outputHosts are for providers, and not for the studio or comfyui$/,
    ],
    [
      "an address that is none",
      [{ type: "fal", baseUrl: "fal" }],
      /channels\[0\]\.baseUrl: expected an http/,
    ],
    [
      "a password in an address",
      [{ type: "fal", baseUrl: "http://user:password@127.0.0.1:1" }],
      /channels\[0\]\.baseUrl: expected an http or https URL without a user, a query or a fragment$/,
    ],
    [
      "a query in an address",
      [{ type: "fal", baseUrl: "http://127.0.0.1:1/?key=a" }],
      /channels\[0\]\.baseUrl: expected an http or https URL without a user/,
    ],
  ]
  for (const [words, channels, message] of misspelt) {
    it(`are named by field where the file has ${words}`, async (t) => {
      const folder = await temporaryFolder(t)
      const config = join(folder, "safelight.config.json")
      await writeFile(config, JSON.stringify({ channels }))
      const source = { flags: { config }, environment: {}, folder }
      await assert.rejects(loadConfiguration(source), { code: "invalid-configuration", message })
    })
  }
})
