/** A service whose pictures a ComfyUI server of one's own makes, named by the configuration alone. */
import assert from "node:assert/strict"
import { copyFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import { imageEdit, textToImage } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { createService, loadConfiguration, type Service } from "safelight"
import { createAnsweringServer, IDLE } from "../../adapters/channel-comfyui/answering-server.ts"
import { createLogRecorder, type LogRecorder } from "../../engine/log-recorder.ts"
import { readExample } from "../../support/read-example.ts"
import { until } from "../../support/until.ts"
import { runCommand, temporaryFolder, type CommandEnd } from "../command/command-process.ts"
import { makeTask, submitTask } from "../own-services.ts"

const WORKFLOWS = new URL("../../../adapters/channel-comfyui/workflows/", import.meta.url)

interface World extends LogRecorder {
  readonly stub: RunningStub
  readonly folder: string
  configure(channels: readonly object[], more?: object): Promise<void>
  start(): Promise<Service>
  run(...words: readonly string[]): Promise<CommandEnd>
}

async function createWorld(t: TestContext, options: StubOptions = {}): Promise<World> {
  const stub = (await STUBS["comfyui"]?.({ runMs: 20, ...options })) ?? assert.fail()
  t.after(() => stub[Symbol.asyncDispose]())
  const folder = await temporaryFolder(t)
  for (const name of ["text-to-image.json", "edit.json"]) {
    await copyFile(fileURLToPath(new URL(name, WORKFLOWS)), join(folder, name))
  }
  const recorder = createLogRecorder()
  const environment = { OWN_KEY: "a-key" }
  return {
    ...recorder,
    stub,
    folder,
    async configure(channels, more = {}) {
      const content = { data: "./data", port: 0, stopGraceMs: 0, ...more, channels }
      await writeFile(join(folder, "safelight.config.json"), JSON.stringify(content))
    },
    async start() {
      const configuration = await loadConfiguration({ flags: {}, environment, folder })
      const service = await createService({ configuration, environment, log: recorder.log })
      t.after(() => service.stop())
      return service
    },
    run: (...words) => runCommand(["channels", ...words], { folder, environment }),
  }
}

const BOTH = {
  [textToImage.id]: "./text-to-image.json",
  [imageEdit.id]: "./edit.json",
}

function toNode(type: string, inputs: object, title: string) {
  return { class_type: type, inputs, _meta: { title } }
}

const make = (service: Service, model: string, parameters: object) =>
  makeTask(service, { account: "sample", model, parameters })

async function readPicture({ engine }: Service, task: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of engine.readArtifact({ task, key: "image_1" })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function toDataUrl(bytes: Buffer): string {
  return `data:image/png;base64,${bytes.toString("base64")}`
}

describe("a service with a ComfyUI server", () => {
  it("makes pictures and edits by workflows that stand beside the configuration", async (t) => {
    const { configure, entries, start, stub } = await createWorld(t)
    await configure([{ type: "comfyui", baseUrl: stub.url, workflows: BOTH, concurrency: 2 }])
    const service = await start()
    const picture = await make(service, textToImage.id, { prompt: "a fox", size: "square" })
    assert.deepEqual(
      [picture.state, picture.dispatch?.channel, picture.artifacts[0]?.mimeType],
      ["succeeded.available", "comfyui", "image/png"],
    )
    const bytes = await readPicture(service, picture.id)
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [512, 512])

    const parameters = { prompt: "in fog", image_urls: [toDataUrl(bytes)], output_format: "png" }
    const edit = await make(service, imageEdit.id, parameters)
    assert.equal(edit.state, "succeeded.available")
    assert.equal(stub.purchases.length, 2)
    const view = `${stub.url}/view?filename=safelight-${stub.purchases[1]?.id}-1.png`
    assert.deepEqual(Buffer.from(await (await fetch(view)).arrayBuffer()), bytes)
    assert.deepEqual(
      entries.filter(({ level }) => level === "error"),
      [],
    )
  })

  it("makes a model of one's own, by the definition of its file", async (t) => {
    const { configure, folder, run, start, stub } = await createWorld(t)
    const id = "acme/enlarger-2/enlarge"
    await writeFile(join(folder, "my-model.ts"), readExample("my-model.ts"))
    const graph = {
      1: toNode("LoadImage", { image: "example.png" }, "{{image=image_url}}"),
      2: toNode("ImageScaleBy", { image: ["1", 0], scale_by: 1.5 }, "{{scale_by=factor}}"),
      3: toNode("SaveImage", { images: ["2", 0], filename_prefix: "a" }, "{{filename_prefix=$id}}"),
    }
    await writeFile(join(folder, "enlarge.json"), JSON.stringify(graph))
    const workflows = { ...BOTH, [id]: "./enlarge.json" }
    const more = JSON.parse(readExample("safelight.config.json")) as object
    await configure([{ type: "comfyui", baseUrl: stub.url, workflows }], more)
    const service = await start()
    const picture = await make(service, textToImage.id, { prompt: "a fox", size: "square" })
    const url = toDataUrl(await readPicture(service, picture.id))
    const task = await make(service, id, { image_url: url, factor: 4 })
    assert.deepEqual([task.state, task.dispatch?.channel], ["succeeded.available", "comfyui"])
    const purchase = stub.purchases[1] ?? assert.fail()
    const { 2: scale, 3: save } = purchase.body as typeof graph
    assert.equal((scale.inputs as { scale_by?: number }).scale_by, 4)
    assert.equal((save.inputs as { filename_prefix?: string }).filename_prefix, purchase.id)
    await service.stop()
    const { stdout } = await run("list", "--json")
    const [record] = JSON.parse(stdout) as { models: string[]; left_out: string | null }[]
    assert.deepEqual([record?.models, record?.left_out], [Object.keys(workflows), null])
    const checked = await run("check")
    const file = join(folder, "enlarge.json")
    const problem = `comfyui: workflow ${file}: node 2 (ImageScaleBy): the server has no such node\n`
    assert.equal(checked.stdout, problem)
  })

  it("leaves what its workflows can't express to the next tier, with the reason", async (t) => {
    const { configure, start, stub } = await createWorld(t)
    await configure([
      { type: "comfyui", baseUrl: stub.url, workflows: BOTH },
      { type: "studio", tier: 2 },
    ])
    const parameters = { prompt: "a fox", size: "square", colors: [{ r: 200 }] }
    const { dispatch } = await make(await start(), textToImage.id, parameters)
    assert.equal(dispatch?.channel, "studio")
    assert.match(dispatch.because, /comfyui: the workflow has no placeholder for colors/)
    assert.deepEqual(stub.purchases, [])
  })

  it("makes a picture once where the server restarts in the middle of it, under another key", async (t) => {
    const clock = createManualClock()
    const { configure, start, stub } = await createWorld(t, { clock, runMs: 1_000 })
    await configure([{ type: "comfyui", baseUrl: stub.url, workflows: BOTH }])
    const service = await start()
    const parameters = { prompt: "a fox", size: "square" }
    const accepted = await submitTask(service, {
      account: "sample",
      model: textToImage.id,
      parameters,
    })
    while (stub.purchases.length < 1) await new Promise(setImmediate)
    stub.setFaults({ own: ["restart"], times: 1 })
    while (stub.purchases.length < 2) await new Promise(setImmediate)
    await clock.advance(1_000)
    const task = await service.engine.finished(accepted.id)
    assert.deepEqual([task?.state, task?.attempt], ["succeeded.available", 2])
    const [first, second, ...more] = stub.purchases.map(({ id }) => id)
    assert.notEqual(first, second)
    assert.deepEqual(more, [])
  })

  it("is listed and checked like any channel, and nothing is run for it", async (t) => {
    const { configure, folder, run, stub } = await createWorld(t)
    const comfyui = { type: "comfyui", baseUrl: stub.url, workflows: BOTH }
    const keyed = { ...comfyui, name: "keyed", keyVariable: "OWN_KEY", models: [imageEdit.id] }
    await configure([comfyui, keyed])
    const well = await run("check")
    assert.equal(well.stdout, "comfyui: well: it needs no key\nkeyed: well: it takes the key\n")
    assert.deepEqual([well.code, well.stderr], [0, ""])

    const text = await readFile(join(folder, "edit.json"), "utf8")
    await writeFile(join(folder, "edit.json"), text.replace("sd_xl_base_1.0", "gone"))
    await writeFile(join(folder, "broken.json"), "{}")
    const broken = { ...comfyui, name: "broken", workflows: { [textToImage.id]: "./broken.json" } }
    const keyless = { ...comfyui, name: "keyless", keyVariable: "NO_KEY" }
    await configure([
      comfyui,
      broken,
      keyless,
      { ...comfyui, name: "away", baseUrl: "http://127.0.0.1:1" },
    ])
    const { code, stdout } = await run("check")
    const file = join(folder, "edit.json")
    const node = `workflow ${file}: node 4 (CheckpointLoaderSimple)`
    assert.deepEqual(stdout.split("\n"), [
      `comfyui: ${node}: the server has no ckpt_name "gone.safetensors"`,
      `broken: workflow ${join(folder, "broken.json")}: it holds no node`,
      "keyless: NO_KEY is empty",
      "away: the ComfyUI server can't be reached, or broke off (ECONNREFUSED)",
      "",
    ])
    assert.equal(code, 1)
    assert.deepEqual(stub.purchases, [])
  })

  it("is listed with the models of its workflows", async (t) => {
    const { configure, run, start, stub } = await createWorld(t)
    await configure([{ type: "comfyui", baseUrl: stub.url, workflows: BOTH }])
    await (await start()).stop()
    const { stdout } = await run("list", "--json")
    const [record] = JSON.parse(stdout) as { channel: string; type: string; models: string[] }[]
    assert.deepEqual([record?.channel, record?.type], ["comfyui", "comfyui"])
    assert.deepEqual(record?.models, [textToImage.id, imageEdit.id])
  })

  const wrong: readonly (readonly [string, object, RegExp])[] = [
    [
      "no workflows",
      { type: "comfyui" },
      /channels\[0\]: expected workflows for the type comfyui, and for no other$/,
    ],
    [
      "workflows of another type",
      { type: "studio", workflows: BOTH },
      /channels\[0\]: expected workflows for the type comfyui, and for no other$/,
    ],
    [
      "an empty list of workflows",
      { type: "comfyui", workflows: {} },
      /channels\[0\]\.workflows: expected a workflow file for each model$/,
    ],
    [
      "a workflow that is no path",
      { type: "comfyui", workflows: { [textToImage.id]: 1 } },
      /channels\[0\]\.workflows\S*: expected a path/,
    ],
    [
      "a workflow of a model that there is not",
      { type: "comfyui", workflows: { "vendor-x/picture": "./edit.json" } },
      /^channel comfyui: workflows names vendor-x\/picture, which is no model$/,
    ],
    [
      "a model without a workflow",
      { type: "comfyui", workflows: BOTH, models: ["vendor-x/picture"] },
      /^channel comfyui has no workflow for vendor-x\/picture$/,
    ],
    [
      "the life of a key",
      { type: "comfyui", workflows: BOTH, keyTtlMs: 1_000 },
      /^channel comfyui: keyTtlMs is for providers that honour keys$/,
    ],
    [
      "the partners' key of another type",
      { type: "studio", partnerKeyVariable: "OWN_KEY" },
      /channels\[0\]: partnerKeyVariable is for the type comfyui alone$/,
    ],
    [
      "a workflow that takes what there is not",
      { type: "comfyui", workflows: { [imageEdit.id]: "./text-to-image.json" } },
      /text-to-image\.json: node 5 \(EmptyLatentImage\): size is no parameter of vendor-b/,
    ],
  ]
  for (const [words, channel, message] of wrong) {
    it(`is refused at the start with ${words}`, async (t) => {
      const { configure, start } = await createWorld(t)
      await configure([channel])
      await assert.rejects(start(), { code: "invalid-configuration", message })
    })
  }

  for (const setting of ["keyVariable", "partnerKeyVariable"]) {
    it(`is left out where its ${setting} is empty, and the others serve`, async (t) => {
      const { configure, entries, run, start, stub } = await createWorld(t)
      const keyless = { type: "comfyui", baseUrl: stub.url, workflows: BOTH, [setting]: "NO_KEY" }
      await configure([keyless, { type: "studio" }])
      const { dispatch } = await make(await start(), textToImage.id, { prompt: "a fox" })
      assert.equal(dispatch?.channel, "studio")
      const [error] = entries.filter(({ level }) => level === "error")
      const reason = "the variable is empty"
      assert.deepEqual(error?.fields, { channel: "comfyui", variable: "NO_KEY", reason })
      const { stdout } = await run("check")
      assert.match(stdout, /^comfyui: NO_KEY is empty$/m)
    })
  }

  it("hands its partners' key to the server, with each prompt", async (t) => {
    const { configure, start } = await createWorld(t)
    const server = await createAnsweringServer(t, ({ path }) => IDLE(path))
    const partner = { partnerKeyVariable: "OWN_KEY" }
    await configure([{ type: "comfyui", baseUrl: server.url, workflows: BOTH, ...partner }])
    const parameters = { prompt: "a fox", size: "square" }
    await submitTask(await start(), { account: "sample", model: textToImage.id, parameters })
    await until(() => server.bodies.length > 0)
    const { extra_data: more } = JSON.parse(server.bodies[0] ?? "") as { extra_data?: object }
    assert.deepEqual(more, { api_key_comfy_org: "a-key" })
  })
})
