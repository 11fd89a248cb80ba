/** A seed that the caller may give: of the attempt where it is left out, and the same in each repeat of it. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import { defineModel, fields, integer, text, type Channel } from "@safelight/core"
import { createSampleInputs } from "@safelight/testkit"
import * as v from "valibot"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createAnsweringServer, IDLE } from "./answering-server.ts"

const seeded = defineModel({
  id: "own/seeded",
  artifacts: "image",
  parameters: fields({ words: text(1, 100), seed: v.optional(integer(0, 4_294_967_295)) }),
  logged: ["seed"],
  estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
  charge: () => 0,
})

const TITLE = "{{seed=seed else $seed}}"

function open(file: string, baseUrl = "http://127.0.0.1:1"): Promise<Channel> {
  const workflows = { [seeded.id]: file }
  return createComfyUiChannel({ workflows, baseUrl, models: [seeded] })
}

async function writeGraph(folder: string, saver: string, title = TITLE): Promise<string> {
  const file = join(folder, "own.json")
  const toNode = (type: string, inputs: object, words: string) => {
    return { class_type: type, inputs, _meta: { title: words } }
  }
  const graph = {
    1: toNode("Any", { words: "", seed: 7 }, `{{words=words}} ${title}`),
    2: toNode("SaveImage", { filename_prefix: "a", images: ["1", 0] }, saver),
  }
  await writeFile(file, JSON.stringify(graph))
  return file
}

async function createSeeded(t: TestContext) {
  const folder = await createTemporaryFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  const server = await createAnsweringServer(t, ({ path }) => IDLE(path))
  const channel = await open(await writeGraph(folder.path, "{{filename_prefix=$id}}"), server.url)
  t.after(async () => channel.close?.())
  return async (upstreamKey: string, more: object = {}): Promise<unknown> => {
    const own = { task: "task", account: "account", upstreamKey, model: seeded.id }
    const parameters = { words: "a fox", ...more }
    const signal = AbortSignal.timeout(10_000)
    // The server never answers with an id, so the outcome is in doubt: it is the body that is looked at.
    const request = { ...own, parameters, inputs: createSampleInputs(), signal }
    await assert.rejects(channel.submit(request))
    const { prompt } = JSON.parse(server.bodies.at(-1) ?? assert.fail("nothing was sent")) as {
      readonly prompt: Readonly<Record<string, { readonly inputs: { readonly seed?: unknown } }>>
    }
    return prompt["1"]?.inputs.seed
  }
}

describe("a seed that the request may give", () => {
  it("is the request's, 0 too", async (t) => {
    const send = await createSeeded(t)
    assert.deepEqual([await send("a.1", { seed: 5 }), await send("a.1", { seed: 0 })], [5, 0])
  })

  it("is that of the attempt where it is left out: a repeat sends the same, another attempt does not", async (t) => {
    const send = await createSeeded(t)
    const [first, repeated, second] = [await send("a.1"), await send("a.1"), await send("a.2")]
    assert.ok(Number.isSafeInteger(first) && first !== 7)
    assert.equal(repeated, first)
    assert.notEqual(second, first)
  })

  it("is no variety, since two requests may give the same", async () => {
    await using folder = await createTemporaryFolder()
    const file = await writeGraph(folder.path, "Save")
    await assert.rejects(open(file), {
      code: "invalid-configuration",
      message: /: nothing differs between two tasks of equal parameters/,
    })
  })

  it("is no seed where it would be scaled", async () => {
    await using folder = await createTemporaryFolder()
    const scaled = "{{seed=seed*2 else $seed}}"
    const file = await writeGraph(folder.path, "{{filename_prefix=$id}}", scaled)
    await assert.rejects(open(file), { message: /in its title is no placeholder$/ })
  })
})
