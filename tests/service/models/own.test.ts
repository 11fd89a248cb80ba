/**
 * A public model of an operator's own, from an example of the page about models to the audit: the file
 * stands in a folder without packages, the service and each command are processes of their own.
 */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { promisify } from "node:util"
import { ROOT } from "../../architecture/workspaces.ts"
import { readExample } from "../../support/read-example.ts"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
} from "../command/command-process.ts"

const ID = "acme/enlarger-2/enlarge"
const IMAGE = "data:image/png;base64,AAAA"

const CHANNEL = `
import type { CreateChannel } from "safelight"

const create: CreateChannel = () => ({
  name: "enlarger",
  models: ["${ID}"],
  submission: { kind: "unkeyed" },
  concurrency: 4,
  submitTimeoutMs: 1_000,
  async submit({ parameters }) {
    const bytes = new TextEncoder().encode(JSON.stringify(parameters))
    async function* open(): AsyncGenerator<Uint8Array> {
      yield bytes
    }
    const outputs = Array.from({ length: Number(parameters["count"]) }, () => ({ mimeType: "image/svg+xml", open }))
    return { kind: "completed", outputs }
  },
  poll: () => Promise.reject(new Error("everything was complete at once")),
})
export default create
`

interface Place {
  readonly folder: string
  readonly run: (...words: string[]) => ReturnType<typeof runCommand>
}

async function createPlace(t: TestContext): Promise<Place> {
  const folder = await temporaryFolder(t)
  const json = readExample("safelight.config.json")
  await writeFile(join(folder, "safelight.config.json"), json)
  await writeFile(join(folder, "my-model.ts"), readExample("my-model.ts"))
  await writeFile(join(folder, "my-provider.ts"), CHANNEL)
  // Each in a process of its own: this one would still have a module whose file is gone.
  return { folder, run: (...words) => runCommand(words, { folder, isOwnProcess: true }) }
}

async function configure({ folder }: Place, change: (file: Record<string, unknown>) => object) {
  const json = readExample("safelight.config.json")
  const file = change(JSON.parse(json) as Record<string, unknown>)
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify(file))
}

test("a model of a file is in the API, its document, prices, metrics and audits, and for commands", async (t) => {
  const place = await createPlace(t)
  const { folder, run } = place
  const prices = await run("models", "check")
  assert.equal(prices.stderr, "")
  assert.match(
    prices.stdout,
    /acme\/enlarger-2\/enlarge\n {2}30000 micro-units \(0\.030000\) an image {2}2026-11#[0-9a-f]{8}\n.*\n {2}cheapest: \{"count":1\}: 1 image × 30000/,
  )
  const checked = await run("channels", "check")
  assert.deepEqual([checked.code, checked.stderr], [0, ""])

  const service = await startServiceProcess(folder, ["--metrics"])
  const key = parseKey(service.stdout())
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const ask = (parameters: object): Promise<Response> => {
    const body = JSON.stringify({ model: ID, parameters })
    return fetch(`${service.url}/v1/tasks`, { method: "POST", headers, body })
  }

  const wrong: readonly (readonly [object, string, string])[] = [
    [{}, "parameters.image_url", "missing_required_parameter"],
    [{ image_url: "data:text/html;base64,AAAA" }, "parameters.image_url", "invalid_data_url"],
    [{ image_url: IMAGE, factor: 3 }, "parameters.factor", "invalid_value"],
    [{ image_url: IMAGE, strength: 2 }, "parameters.strength", "integer_above_max_value"],
    [{ image_url: IMAGE, colour: "#GGGGGG" }, "parameters.colour", "invalid_value"],
    [{ image_url: IMAGE, constructor: 1 }, "parameters.constructor", "unknown_parameter"],
  ]
  for (const [parameters, param, code] of wrong) {
    const response = await ask(parameters)
    const { error } = (await response.json()) as { error: { param: string; code: string } }
    assert.deepEqual([response.status, error.param, error.code], [400, param, code])
  }
  const infinite = `{"model":"${ID}","parameters":{"image_url":"${IMAGE}","strength":1e999}}`
  const refused = await fetch(`${service.url}/v1/tasks`, {
    method: "POST",
    headers,
    body: infinite,
  })
  assert.equal(refused.status, 400)

  const accepted = await ask({ image_url: IMAGE, count: 2, colour: "#00ff00" })
  assert.equal(accepted.status, 202, await accepted.clone().text())
  const { task_id: id } = (await accepted.json()) as { task_id: string }
  const environment = { SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: key }
  const words = ["tasks", "submit", "--model", ID, "--wait", "--parameters"]
  const large = join(folder, "large.json")
  const data = `data:image/png;base64,${"A".repeat(4 * 1024 * 1024)}`
  await writeFile(large, JSON.stringify({ image_url: data, factor: 8 }))
  const submitted = await runCommand([...words, `@${large}`, "--json"], { folder, environment })
  assert.equal(submitted.code, 0, submitted.stderr)
  const { status } = JSON.parse(submitted.stdout) as { status: string }
  assert.equal(status, "succeeded")

  const usage = await runCommand(["usage", id], { folder, environment })
  assert.match(usage.stdout, /2 images × 30000 = 60000 micro-units/)
  assert.equal(usage.code, 0)
  const document = await (await fetch(`${service.url}/openapi.json`)).text()
  assert.match(document, /"title":"acme\/enlarger-2\/enlarge"/)
  assert.match(document, /"factor":\{[^}]*"enum":\[2,4,8\]/)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(
    metrics,
    /safelight_queue_tasks\{model="acme\/enlarger-2\/enlarge",state="waiting"\} 0/,
  )
  service.kill("SIGTERM")
  assert.equal((await service.ended).code, 0)
  assert.doesNotMatch(service.stderr(), /a thread can't check/)

  const replay = await run("audit", "replay")
  assert.deepEqual([replay.code, replay.stderr], [0, ""])
  assert.match(replay.stdout, /^2 tasks, \d+ events, charged 90000 micro-units\n/)

  await configure(
    place,
    ({ models: _models, prices: _prices, channels: _channels, ...file }) => file,
  )
  // Its price, which the database keeps, explains its charges.
  const lacking = await run("audit", "replay")
  assert.deepEqual([lacking.code, lacking.stdout], [0, replay.stdout])
})

test("a model's file that broke keeps nobody from what needs no model", async (t) => {
  const { folder, run } = await createPlace(t)
  const made = await run("keys", "create", "--account", "ada")
  assert.equal(made.code, 0, made.stderr)
  await rm(join(folder, "my-model.ts"))
  const listed = await run("keys", "list")
  assert.deepEqual([listed.code, listed.stderr], [0, ""])
  for (const words of [
    ["audit", "replay"],
    ["models", "check"],
    ["serve", "--port", "0"],
  ]) {
    const { code, stderr } = await run(...words)
    assert.equal(code, 2)
    assert.match(stderr, /^safelight: models: module \S+my-model\.ts can't be loaded: [^\n]+\n$/)
  }
})

test("the guide's files compile", async (t) => {
  const { folder } = await createPlace(t)
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"))
  const compilerOptions = { noEmit: true, customConditions: ["@safelight/source"] }
  const files = ["my-model.ts", "my-provider.ts", "my-collage.ts"]
  await writeFile(join(folder, "my-collage.ts"), readExample("my-collage.ts"))
  const settings = { extends: join(ROOT, "tsconfig.base.json"), compilerOptions, files }
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings))
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc")
  await promisify(execFile)(process.execPath, [compiler, "-p", "."], { cwd: folder })
})
