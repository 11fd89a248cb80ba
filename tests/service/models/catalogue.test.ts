/** From an empty folder to a business: models of the bundled catalogue, their tasks, their bill, and its audit. */
import assert from "node:assert/strict"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { it, type TestContext } from "node:test"
import { STUBS, type RunningStub } from "@safelight/testkit/stubs"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
} from "../command/command-process.ts"

const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEXWKCj1yHgUHij61eAhAAAAVUlEQVQY043LsQ2AMAxE0aNIQ58lmIIRXIT9XEY3JT6HJgKh/OrJOuN6wiKsDDSgJgwoCUQTmlADJpRPnML2j9cXXdgJduEIUOAE10Tomgj0OCSyFdwnvk7a3BCkTQAAAABJRU5ErkJggg=="

interface Made {
  readonly status: string
  readonly task_id: string
}

interface World {
  readonly folder: string
  readonly fal: RunningStub
  readonly replicate: RunningStub
  readonly environment: Readonly<Record<string, string>>
}

async function createWorld(t: TestContext): Promise<World> {
  const folder = await temporaryFolder(t)
  const [fal, replicate] = [await startStub(t, "fal"), await startStub(t, "replicate")]
  const channels = [
    { type: "fal", baseUrl: fal.url },
    { type: "replicate", tier: 2, baseUrl: replicate.url },
  ]
  // No list price is known of the caption's model, so that `models add` gives it none.
  const caption = { "moondream/moondream-3-caption": { perRequestMicros: 2_000 } }
  const prices = [{ version: "2026-12", models: caption }]
  const models = ["./models", { builtin: false }]
  await writeFile(
    join(folder, "safelight.config.json"),
    JSON.stringify({ models, channels, prices }),
  )
  const environment = { FAL_KEY: "a:b", REPLICATE_API_TOKEN: "token" }
  return { folder, fal, replicate, environment }
}

async function startStub(t: TestContext, type: string): Promise<RunningStub> {
  const stub = (await STUBS[type]?.()) ?? assert.fail(type)
  t.after(() => stub[Symbol.asyncDispose]())
  return stub
}

async function add(folder: string, ...words: readonly string[]): Promise<void> {
  const { code, stderr } = await runCommand(["models", "add", ...words], { folder })
  assert.equal(code, 0, stderr)
}

/** Submits by the command, waits for the end and saves what was made into the folder. */
async function submit(
  folder: string,
  { model, parameters }: { readonly model: string; readonly parameters: object },
  environment: Readonly<Record<string, string>>,
): Promise<Made> {
  const words = ["tasks", "submit", "--model", model, "--parameters", JSON.stringify(parameters)]
  const { code, stderr, stdout } = await runCommand([...words, "--wait", "--json"], {
    folder,
    environment,
  })
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Made
}

const REQUESTS = [
  { model: "acme/flux", parameters: { prompt: "fog" }, kind: "image", micros: 42_000 },
  {
    model: "kling/kling-3-pro",
    parameters: { prompt: "waves", duration: "3", generate_audio: true },
    kind: "video",
    micros: 705_600,
  },
  {
    model: "elevenlabs/eleven-v3",
    parameters: { text: "hello there" },
    kind: "audio",
    micros: 1_540,
  },
  {
    model: "moondream/moondream-3-caption",
    parameters: { image_url: PICTURE },
    kind: "text",
    micros: 2_000,
  },
  { model: "microsoft/trellis", parameters: { image_url: PICTURE }, kind: "3d", micros: 28_000 },
] as const

it("five models of five kinds are made, billed, and audited without their files", async (t) => {
  const { environment, folder } = await createWorld(t)
  await add(folder, "flux-2-pro", "--as", "acme/flux", "--margin", "1.4")
  const others = ["kling-3-pro", "eleven-v3", "moondream-3-caption", "trellis"]
  await add(folder, ...others, "--margin", "1.4")
  const checked = await runCommand(["models", "check"], { folder, environment })
  assert.equal(checked.code, 0, checked.stdout + checked.stderr)

  const service = await startServiceProcess(folder, [], { environment })
  const key = parseKey(service.stdout())
  assert.match(
    service.stdout(),
    /^# FLUX\.2 \[pro\]\n.*"model":"acme\/flux".*\n.*\n.*\/artifacts\/image_1\//m,
  )
  const own = { SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: key }
  const headers = { authorization: `Bearer ${key}` }
  for (const { kind, micros, ...request } of REQUESTS) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as a person tries them
    const made = await submit(folder, request, own)
    assert.equal(made.status, "succeeded", request.model)
    const at = `${service.url}/v1/tasks/${made.task_id}`
    // oxlint-disable-next-line no-await-in-loop
    const listed = await fetch(`${at}/artifacts`, { headers }).then((reply) => reply.json())
    const { artifacts } = listed as { artifacts: readonly { type: string; key: string }[] }
    assert.deepEqual(
      artifacts.map(({ type }) => type),
      [kind],
    )
    // oxlint-disable-next-line no-await-in-loop
    const content = await fetch(`${at}/artifacts/${artifacts[0]?.key}/content`, { headers })
    // oxlint-disable-next-line no-await-in-loop
    assert.ok((await content.arrayBuffer()).byteLength > 0, request.model)
    // oxlint-disable-next-line no-await-in-loop
    const usage = await fetch(`${at}/usage`, { headers }).then((reply) => reply.json())
    assert.equal((usage as { charge_micros: number }).charge_micros, micros, request.model)
  }
  service.kill("SIGTERM")
  await service.ended

  const elsewhere = join(folder, "elsewhere")
  await mkdir(elsewhere)
  const words = ["audit", "replay", "--data", join(folder, "data")]
  const replayed = await runCommand(words, { folder: elsewhere })
  assert.equal(replayed.code, 0, replayed.stdout)
  const total = REQUESTS.reduce((sum, { micros }) => sum + micros, 0)
  assert.match(
    replayed.stdout,
    new RegExp(`^5 tasks, \\d+ events, charged ${total} micro-units$`, "m"),
  )
})

it("while fal is down Replicate makes what both can", async (t) => {
  const { environment, fal, folder, replicate } = await createWorld(t)
  await add(folder, "flux-2-pro", "--as", "acme/flux", "--margin", "1.4")
  await add(folder, "moondream-3-caption")
  await fal[Symbol.asyncDispose]()
  const service = await startServiceProcess(folder, [], { environment })
  const own = { SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: parseKey(service.stdout()) }
  const made = await submit(folder, { model: "acme/flux", parameters: { prompt: "fog" } }, own)
  assert.equal(made.status, "succeeded")
  assert.equal(replicate.purchases.length, 1)
})
