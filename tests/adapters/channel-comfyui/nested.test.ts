/** Parts of a request within objects and lists, at a ComfyUI server: found by path, uploaded, and never ignored. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { createComfyUiChannel } from "@safelight/channel-comfyui"
import { readModelFile, type Channel, type Model, type TaskInputs } from "@safelight/core"
import { createSampleInputs } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createComfyWorld, type ComfyWorld } from "./comfyui-world.ts"

const picture = { type: "string", "x-media": "image" }
const read = readModelFile({
  id: "own/collage",
  outputs: { image: 1 },
  parameters: {
    type: "object",
    required: ["prompt"],
    properties: {
      prompt: { type: "string", maxLength: 100 },
      cover: { type: "object", properties: { image_url: picture } },
      elements: {
        type: "array",
        maxItems: 4,
        items: {
          type: "object",
          required: ["image_url"],
          properties: {
            image_url: picture,
            images: { type: "array", items: picture, maxItems: 3 },
            weight: { type: "integer", minimum: 1, maximum: 9, default: 1 },
            words: { type: "string", maxLength: 9 },
            hint: { type: "string", maxLength: 9 },
          },
        },
      },
    },
  },
})
assert.ok(read.kind === "model", JSON.stringify(read))
const own: Model = read.model

interface OwnNode {
  readonly class_type: string
  readonly inputs: object
  readonly _meta: { readonly title: string }
}

const toNode = (type: string, inputs: object, title: string): OwnNode => ({
  class_type: type,
  inputs,
  _meta: { title },
})

const load = (title: string): OwnNode => toNode("LoadImage", { image: "example.png" }, title)

const GRAPH = {
  1: toNode("Any", { seed: 1, text: "" }, "{{seed=$seed}} {{text=prompt}}"),
  2: load("{{image=elements[0].image_url}}"),
  3: load("{{image=elements[0].images[1]}}"),
  4: load("{{image=elements[0].images[0]}}"),
  5: load("{{image=cover.image_url}}"),
  6: toNode(
    "Any",
    { weight: 1, text: "sample" },
    "{{weight=elements[0].weight}} {{text=elements[0].words}}",
  ),
  9: toNode("SaveImage", { images: ["1", 0], filename_prefix: "a" }, "Save"),
}

async function open(
  t: TestContext,
  graph: object,
  options: { readonly baseUrl?: string } = {},
): Promise<Channel> {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, "own.json")
  await writeFile(file, JSON.stringify(graph))
  const channel = await createComfyUiChannel({
    workflows: { [own.id]: file },
    models: [own],
    ...options,
  })
  t.after(() => channel.close?.())
  return channel
}

function check(parameters: object): Readonly<Record<string, unknown>> {
  const checked = own.check({ prompt: "fog", ...parameters })
  assert.ok(checked.kind === "valid", JSON.stringify(checked))
  return checked.parameters
}

/** Each of its own address, so that it is seen which was opened. */
const toUrl = (name: string): string => `data:image/png;base64,${btoa(name)}`
const ELEMENT = { image_url: toUrl("one"), images: [toUrl("two"), toUrl("six")] }

async function submit(t: TestContext, parameters: object) {
  const world: ComfyWorld = await createComfyWorld(t)
  const channel = await open(t, GRAPH, { baseUrl: world.stub.url })
  const opened: string[] = []
  const sample = createSampleInputs()
  const inputs: TaskInputs = {
    ...sample,
    open(request) {
      opened.push(request.url)
      return sample.open(request)
    },
  }
  const outcome = await channel.submit({
    ...world.toRequest(),
    model: own.id,
    parameters: check(parameters),
    inputs,
  })
  assert.equal(outcome.kind, "accepted", JSON.stringify(outcome))
  const body = world.stub.purchases.at(-1)?.body as Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>
  >
  return { opened, toInputs: (node: string) => body[node]?.inputs ?? {} }
}

describe("a workflow with placeholders for parts", () => {
  it("gets each medium by its path, and each value", async (t) => {
    const elements = [{ ...ELEMENT, weight: 5, words: "red" }]
    const { opened, toInputs } = await submit(t, { elements, cover: { image_url: toUrl("top") } })
    assert.deepEqual(opened, ["one", "six", "two", "top"].map(toUrl))
    const files = ["2", "3", "4", "5"].map((node) => String(toInputs(node)["image"]))
    for (const [at, file] of files.entries()) assert.match(file, new RegExp(`-${at + 1}\\.png$`))
    assert.deepEqual(toInputs("6"), { weight: 5, text: "red" })
  })

  it("keeps its own where a part is left out, but no sample of a text", async (t) => {
    const { opened, toInputs } = await submit(t, { elements: [ELEMENT] })
    assert.deepEqual(opened, ["one", "six", "two"].map(toUrl))
    assert.equal(toInputs("5")["image"], "example.png")
    assert.deepEqual(toInputs("6"), { weight: 1, text: "" })
  })

  const left: readonly (readonly [
    name: string,
    parameters: object,
    reason: string,
    param?: string,
  ])[] = [
    ["no list", {}, "the workflow takes 1 of elements"],
    ["a longer list", { elements: [ELEMENT, ELEMENT] }, "the workflow takes 1 of elements"],
    [
      "a shorter list within",
      { elements: [{ ...ELEMENT, images: [toUrl("two")] }] },
      "the workflow takes 2 of elements[0].images",
    ],
    [
      "a part that has no placeholder",
      { elements: [{ ...ELEMENT, hint: "secret" }] },
      "the workflow has no placeholder for elements[0].hint",
    ],
  ]
  for (const [name, parameters, reason] of left) {
    it(`leaves a request with ${name} to others`, async (t) => {
      const channel = await open(t, GRAPH)
      const refused = channel.accepts?.({ model: own.id, parameters: check(parameters) })
      assert.deepEqual(refused, { kind: "ineligible", reason, param: "elements" })
    })
  }

  it("takes a part without a placeholder at its default alone", async (t) => {
    const { 6: _, ...graph } = GRAPH
    const channel = await open(t, graph)
    const ask = (weight: number) =>
      channel.accepts?.({
        model: own.id,
        parameters: check({ elements: [{ ...ELEMENT, weight }] }),
      })
    assert.equal(ask(1), true)
    assert.deepEqual(ask(2), {
      kind: "ineligible",
      reason: "the workflow has no placeholder for elements[0].weight",
      param: "elements",
    })
  })

  const wrong: readonly (readonly [title: string, message: RegExp])[] = [
    ["{{image=elements.image_url}}", /: elements is a list: name one of it, as \[0\]$/],
    ["{{image=elements[0]}}", /: its input image is a string, which elements\[0\] is not$/],
    ["{{image=elements[0].images}}", /: elements\[0\]\.images is a list: name one of it/],
    ["{{image=elements[0].photo}}", /: elements\[0\]\.photo: there is no such member$/],
    ["{{image=elements[0].weight}}", /: its input image is a string, which elements\[0\]\.weight/],
    ["{{image=elements[0].image_url[0]}}", /: elements\[0\]\.image_url is no list$/],
    ["{{image=cover[0].image_url}}", /: cover is no list$/],
    ["{{image=prompt.image_url}}", /: prompt\.image_url: there is no such member$/],
    ["{{image=elements[0].words a=b}}", /: elements\[0\]\.words takes no constants$/],
  ]
  for (const [title, message] of wrong) {
    it(`is refused with ${title}`, async (t) => {
      await assert.rejects(open(t, { ...GRAPH, 2: load(title) }), {
        code: "invalid-configuration",
        message,
      })
    })
  }
})
