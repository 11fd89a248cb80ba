/** `safelight channels check`: each mistake of a configuration by its channel, and nothing bought. */
import assert from "node:assert/strict"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { runCommand, temporaryFolder, type CommandEnd } from "./command-process.ts"

const KEY = "id-of-a-key:secret-of-a-key"
const PICTURE = "vendor-a/v4.1/flash/text-to-image"

interface World {
  readonly folder: string
  readonly stub: RunningStub
  check(content: object, ...words: readonly string[]): Promise<CommandEnd>
}

async function createWorld(t: TestContext): Promise<World> {
  const stub = (await STUBS["fal"]?.()) ?? assert.fail()
  t.after(() => stub[Symbol.asyncDispose]())
  const folder = await temporaryFolder(t)
  const environment = { FAL_KEY: KEY, BAD_KEY: "invalid", ODD_KEY: "a b" }
  return {
    folder,
    stub,
    async check(content, ...words) {
      await writeFile(join(folder, "safelight.config.json"), JSON.stringify(content))
      return runCommand(["channels", "check", ...words], { folder, environment })
    },
  }
}

test("all is well: it says what was proved, ends with 0, buys and makes nothing", async (t) => {
  const { check, folder, stub } = await createWorld(t)
  const channels = [{ type: "fal", baseUrl: stub.url }, { type: "studio" }]
  const { code, stderr, stdout } = await check({ channels })
  assert.equal(stdout, "fal: well: it takes the key\nstudio: well: it needs no key\n")
  assert.deepEqual([code, stderr], [0, ""])
  const { stdout: json } = await check({ channels }, "--json")
  assert.deepEqual(JSON.parse(json), [
    { channel: "fal", type: "fal", key: "taken", problems: [] },
    { channel: "studio", type: "studio", key: "none", problems: [] },
  ])
  assert.deepEqual(stub.purchases, [])
  assert.deepEqual(await readdir(folder), ["safelight.config.json"])
})

test("every mistake is told by its channel, no key among them, and it ends with 1", async (t) => {
  const { check, stub } = await createWorld(t)
  const here = { type: "fal", baseUrl: stub.url }
  const channels = [
    { type: "nobody" },
    { ...here, name: "refused", keyVariable: "BAD_KEY" },
    { ...here, name: "keyless", keyVariable: "NO_KEY" },
    { ...here, name: "odd", keyVariable: "ODD_KEY" },
    { ...here, name: "away", baseUrl: "http://127.0.0.1:1" },
    { ...here, name: "repeating", repeat: true },
    { ...here, name: "unmade", models: [PICTURE, "vendor-x/picture"] },
  ]
  const { code, stderr, stdout } = await check({ channels })
  const [nobody, ...lines] = stdout.split("\n")
  assert.match(nobody ?? "", /^nobody: channels: "nobody" is no type: choose one of studio, /)
  assert.deepEqual(lines, [
    "refused: it refuses the key (401)",
    "keyless: NO_KEY is empty",
    "odd: ODD_KEY holds what no key does",
    "away: away can't be reached (ECONNREFUSED)",
    "repeating: repeat is for a channel that costs nothing",
    "repeating: it takes the key",
    'unmade: fal has no model vendor-x/picture: "models": { "vendor-x/picture": "…" } names its model there',
    "unmade: it takes the key",
    "",
  ])
  assert.deepEqual([code, stderr], [1, ""])
  assert.deepEqual(stub.purchases, [])
  const { code: also, stdout: json } = await check({ channels: channels.slice(1, 2) }, "--json")
  assert.equal(also, 1)
  assert.deepEqual(JSON.parse(json), [
    {
      channel: "refused",
      type: "fal",
      key: "refused",
      problems: ["it refuses the key (401)"],
    },
  ])
  assert.doesNotMatch(stdout + json, /secret-of-a-key/)
})

test("a mapped model is asked for where the provider can be asked, and otherwise it says so", async (t) => {
  const { check, stub } = await createWorld(t)
  const router = (await STUBS["comfy-router"]?.()) ?? assert.fail()
  t.after(() => router[Symbol.asyncDispose]())
  const channel = (name: string, own: string) => {
    return { type: "fal", name, baseUrl: stub.url, models: { [PICTURE]: own } }
  }
  const channels = [
    channel("good", "acme/flux"),
    channel("gone", "acme/no-such-model"),
    {
      type: "comfy-router",
      baseUrl: router.url,
      keyVariable: "FAL_KEY",
      models: { [PICTURE]: { model: "acme/flux", accepts: { size: { enum: ["square"] } } } },
    },
  ]
  const { code, stdout } = await check({ channels })
  assert.deepEqual(stdout.split("\n"), [
    "good: well: it takes the key",
    `good: ${PICTURE} is acme/flux there`,
    "gone: fal has no model acme/no-such-model",
    `gone: ${PICTURE} is acme/no-such-model there`,
    "comfy-router: well: it answers; whether it takes the key was not proved",
    `comfy-router: ${PICTURE} is acme/flux there, which only a purchase can prove to exist`,
    "",
  ])
  assert.equal(code, 1)
  assert.deepEqual([...stub.purchases, ...router.purchases], [])
})

test("a file of the operator's own is checked as far as it goes", async (t) => {
  const { check, folder } = await createWorld(t)
  const channel = `({ name: "own", models: ["vendor-a/v4.1/flash/text-to-image"], submission: { kind: "unkeyed" }, concurrency: 1,
    submitTimeoutMs: 1, submit() {}, poll() {}, ...more })`
  await writeFile(join(folder, "plain.mjs"), `const more = {}\nexport default () => ${channel}`)
  const more = '{ name: "asked", check: async () => ({ kind: "ready", key: "unproved" }) }'
  await writeFile(
    join(folder, "asked.mjs"),
    `const more = ${more}\nexport default () => ${channel}`,
  )
  const modules = ["./plain.mjs", "./asked.mjs", "./absent.mjs"]
  const { code, stdout } = await check({ channels: modules.map((module) => ({ module })) })
  const [plain, asked, absent, ...rest] = stdout.split("\n")
  assert.deepEqual(
    [plain, asked],
    [
      "own: well: it was not asked, since it has no check",
      "asked: well: it answers; whether it takes the key was not proved",
    ],
  )
  assert.match(absent ?? "", /absent\.mjs: channels: module .*absent\.mjs can't be loaded: /)
  assert.deepEqual([code, rest], [1, [""]])
})

test("a model without a price, like any wrong configuration, is one line and ends with 2", async (t) => {
  const { check } = await createWorld(t)
  const prices = [{ version: "v1", models: { [PICTURE]: { perImageMicros: 1 } } }]
  for (const [content, words] of [
    [{ prices }, /prices.*vendor-b\/imagine-image\/v2\.0\/edit/],
    [{ channels: [] }, /channels: expected at least one channel/],
  ] as const) {
    const { code, stderr, stdout } = await check(content)
    assert.match(stderr, /^safelight: [^\n]*\n$/)
    assert.match(stderr, words)
    assert.deepEqual([code, stdout], [2, ""])
  }
})

test("a missing secret of webhooks is said where somebody could call, and is no mistake", async (t) => {
  const { check } = await createWorld(t)
  const stub = (await STUBS["replicate"]?.()) ?? assert.fail()
  t.after(() => stub[Symbol.asyncDispose]())
  const here = { type: "replicate", baseUrl: stub.url, keyVariable: "FAL_KEY" }
  const channels = [here, { ...here, name: "other", webhookSecretVariable: "FAL_KEY" }]
  const well = "well: it answers; whether it takes the key was not proved"
  const unreachable = await check({ channels })
  assert.equal(unreachable.stdout, `replicate: ${well}\nother: ${well}\n`)
  const { code, stdout } = await check({ channels, publicUrl: "https://api.example" })
  const note = "REPLICATE_WEBHOOK_SECRET is empty, so it is polled and not asked to call back"
  assert.equal(stdout, `replicate: ${well}\nreplicate: ${note}\nother: ${well}\n`)
  assert.equal(code, 0)
})
