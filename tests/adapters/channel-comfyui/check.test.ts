/** What a check of a ComfyUI server finds: whether it is one, and has what the workflows name. */
import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { textToImage } from "@safelight/core"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createAnsweringServer } from "./answering-server.ts"
import { createComfyWorld, WORKFLOWS } from "./comfyui-world.ts"

/** The workflow of a picture, with a text in it replaced. */
async function checkWith(t: TestContext, text: string, other: string) {
  const world = await createComfyWorld(t)
  const folder = await createTemporaryFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  const file = join(folder.path, "own.json")
  const whole = await readFile(WORKFLOWS[textToImage.id] ?? "", "utf8")
  assert.ok(whole.includes(text))
  await writeFile(file, whole.replaceAll(text, other))
  const channel = await world.open({ workflows: { [textToImage.id]: file } })
  const found = await channel.check?.()
  assert.ok(found?.kind === "unavailable", JSON.stringify(found))
  return found.reason.replace(file, "FILE")
}

describe("the check of a ComfyUI server", () => {
  it("is well where it has all that the workflows name, and runs nothing", async (t) => {
    const world = await createComfyWorld(t)
    assert.deepEqual(await world.channel.check?.(), { kind: "ready", key: "none" })
    const keyed = await world.open({ key: "secret" })
    assert.deepEqual(await keyed.check?.(), { kind: "ready", key: "taken" })
    assert.equal(world.stub.requests.at(-1)?.headers["authorization"], "Bearer secret")
    assert.deepEqual(world.stub.purchases, [])
    assert.ok(world.stub.requests.every(({ method }) => method === "GET"))
  })

  it("names the checkpoint that is not there", async (t) => {
    const reason = await checkWith(t, "sd_xl_base_1.0", "gone")
    const node = "workflow FILE: node 4 (CheckpointLoaderSimple)"
    assert.equal(reason, `${node}: the server has no ckpt_name "gone.safetensors"`)
  })

  it("names the choice of the newer form that is not there", async (t) => {
    const reason = await checkWith(t, '"scheduler": "normal"', '"scheduler": "odd"')
    assert.equal(reason, 'workflow FILE: node 3 (KSampler): the server has no scheduler "odd"')
  })

  it("asks for no file that was put into the server's folder: only the topmost are listed", async (t) => {
    const world = await createComfyWorld(t)
    const whole = await readFile(WORKFLOWS[textToImage.id] ?? "", "utf8")
    const mask = { class_type: "LoadImage", inputs: { image: "masks/one.png" } }
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, "own.json")
    await writeFile(file, JSON.stringify({ ...JSON.parse(whole), mask }))
    const channel = await world.open({ workflows: { [textToImage.id]: file } })
    assert.deepEqual(await channel.check?.(), { kind: "ready", key: "none" })
  })

  it("names the node that is not installed", async (t) => {
    const reason = await checkWith(t, '"VAEDecode"', '"My Decoder"')
    assert.equal(reason, "workflow FILE: node 8 (My Decoder): the server has no such node")
  })

  it("names the node that is an output and saves nothing", async (t) => {
    const reason = await checkWith(t, '"VAE Decode"', '"VAE Decode {{output}}"')
    const node = "workflow FILE: node 8 (VAEDecode)"
    assert.equal(reason, `${node}: it saves nothing, and can't be an output`)
  })

  it("says where nobody answers, or another than ComfyUI, or a proxy refuses", async (t) => {
    const world = await createComfyWorld(t)
    const nobody = await world.open({ baseUrl: "http://127.0.0.1:1" })
    assert.deepEqual(await nobody.check?.(), {
      kind: "unavailable",
      reason: "the ComfyUI server can't be reached, or broke off (ECONNREFUSED)",
    })
    const answers = [200, 403].map(async (status) => {
      const server = await createAnsweringServer(t, () => ({ status, json: {} }))
      return (await world.open({ baseUrl: server.url })).check?.()
    })
    assert.deepEqual(await Promise.all(answers), [
      { kind: "unavailable", reason: "it answers 200, and is no ComfyUI server" },
      { kind: "refused", reason: "it answers 403: the key is missing, or not taken" },
    ])
  })
})
