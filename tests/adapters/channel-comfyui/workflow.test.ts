/** Workflow files: what is wrong with one is told at the start, by file, node and field. */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createComfyUiChannel, type ComfyUiOptions } from "@safelight/channel-comfyui"
import { imageEdit, textToImage, type Model } from "@safelight/core"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

/** The smallest that is taken: a node by id, with its title. */
type Sketch = Readonly<Record<string, readonly [type: string, inputs: object, title?: string]>>

const WHOLE: Sketch = {
  "1": ["KSampler", { seed: 1, steps: 20, latent: ["2", 0] }, "{{seed=$seed}}"],
  "2": ["EmptyLatentImage", { width: 1, height: 1, is_tiled: false }],
  "3": ["CLIPTextEncode", { text: "" }],
  "4": ["SaveImage", { filename_prefix: "a", images: ["1", 0] }],
}

function toText(sketch: Sketch): string {
  const nodes = Object.entries(sketch).map(([id, [type, inputs, title = ""]]) => {
    return [id, { class_type: type, inputs, _meta: { title } }] as const
  })
  return JSON.stringify(Object.fromEntries(nodes))
}

async function open(text: string, model: Model = textToImage): Promise<string> {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, "own.json")
  await writeFile(file, text)
  const channel = await createComfyUiChannel({ workflows: { [model.id]: file } })
  await channel.close?.()
  return "taken"
}

const withTitle = (node: string, title: string): Sketch => {
  const [type, inputs] = WHOLE[node] ?? assert.fail()
  const { "1": sampler, ...others } = WHOLE
  return { "1": sampler ?? assert.fail(), ...others, [node]: [type, inputs, title] }
}

describe("a workflow file", () => {
  it("is taken as it is, and with a byte order mark", async () => {
    assert.equal(await open(toText(WHOLE)), "taken")
    assert.equal(await open(`\uFEFF${toText(WHOLE)}`), "taken")
  })

  const { "1": sampler, "4": save, ...rest } = WHOLE
  assert.ok(sampler !== undefined && save !== undefined)
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ["that is no JSON", "{\n  x }", /workflow \S+own\.json: not JSON at line 2 column 3$/],
    ["that is a list", "[]", /: it holds no object$/],
    [
      "in the format of ComfyUI's page",
      '{"nodes": [], "links": [], "version": 0.4}',
      /: this is the format that ComfyUI saves: export it with Workflow, Export \(API\)$/,
    ],
    ["whose node is a text", '{"1": "a"}', /: 1 is no node: it holds no object$/],
    ["without a class", '{"1": {"inputs": {}}}', /: node 1: class_type must be a text$/],
    ["without inputs", '{"1": {"class_type": "A"}}', /: node 1: inputs must be an object$/],
    [
      "with a link to nowhere",
      toText({ ...WHOLE, "4": ["SaveImage", { images: ["9", 0] }] }),
      /: node 4 \(SaveImage\): images is linked to node 9, which is not there$/,
    ],
    [
      "without a node that saves",
      toText({ "1": sampler, ...rest }),
      /: no node is known to save anything: put \{\{output\}\} into the title of the one/,
    ],
    [
      "that is the same for each task",
      toText({ ...WHOLE, "1": [sampler[0], sampler[1]] }),
      /: nothing differs between two tasks of equal parameters, .*\{\{seed=\$seed\}\}.*\{\{filename_prefix=\$id\}\}/,
    ],
  ]
  for (const [words, text, message] of wrong) {
    it(`${words} is refused`, async () => {
      await assert.rejects(open(text), { code: "invalid-configuration", message })
    })
  }

  const titles: readonly (readonly [node: string, title: string, message: RegExp])[] = [
    ["3", "{{text}}", /: node 3 \(CLIPTextEncode\): \{\{text\}\} in its title is no placeholder$/],
    ["3", "{{text=prompt", /: \{\{text=prompt in its title is no placeholder$/],
    ["3", "{{text=$other}}", /in its title is no placeholder$/],
    ["2", "{{width=size.width*2 square=1}}", /in its title is no placeholder$/],
    ["1", "{{seed=$seed+1}}", /in its title is no placeholder$/],
    ["2", "{{width=size square}}", /in its title is no placeholder$/],
    ["2", "{{width=size square=1 square=2}}", /in its title is no placeholder$/],
    ["3", "{{words=prompt}}", /: node 3 \(CLIPTextEncode\): it has no input words$/],
    ["1", "{{latent=prompt}}", /: its input latent is linked: fill that of the node which/],
    [
      "3",
      "{{text=prompts}}",
      /: prompts is no parameter of vendor-a\/v4\.1\/flash\/text-to-image$/,
    ],
    ["3", "{{only tempo=fast}}", /: tempo is no parameter of /],
    ["3", "{{only size=huge}}", /: size can't be huge$/],
    ["2", "{{width=prompt}}", /: its input width is a number, which prompt is not$/],
    ["2", "{{width=size}}", /: its input width is a number, which size is not$/],
    ["3", "{{text=size.width}}", /: its input text is a string, which size\.width is not$/],
    ["3", "{{text=enable_safety_checker}}", /: its input text is a string, which enable_/],
    ["3", "{{text=$seed}}", /: its input text is a string, which \$seed is not$/],
    ["2", "{{width=$id}}", /: its input width is a number, which \$id is not$/],
    ["3", "{{text=prompt else $seed}}", /: its input text is a string, which prompt is not$/],
    ["1", "{{seed=$seed else $seed}}", /in its title is no placeholder$/],
    ["2", "{{width=size square=1 else $seed}}", /in its title is no placeholder$/],
    ["2", "{{width=count else $id}}", /in its title is no placeholder$/],
    ["3", "{{text=prompt*2}}", /: its input text is a string, which prompt is not$/],
    ["2", "{{width=size.depth}}", /: size\.depth: there is no such member$/],
    ["2", "{{width=prompt.width}}", /: prompt\.width: there is no such member$/],
    ["3", "{{text=colors}}", /: colors is a list: name one of it, as \[0\]$/],
    ["3", "{{text=prompt[0]}}", /: prompt\[0\]: prompt is no list$/],
    ["2", "{{width=size huge=1}}", /: size can't be huge$/],
    ["2", "{{width=size square=wide}}", /: its input width is a number, which wide is not$/],
    ["2", "{{is_tiled=size square=1}}", /: its input is_tiled is a boolean, which 1 is not$/],
    ["2", "{{width=size.width}} {{width=size.height}}", /: width is filled twice$/],
  ]
  for (const [node, title, message] of titles) {
    it(`with ${title} is refused`, async () => {
      const text = toText(withTitle(node, title))
      await assert.rejects(open(text), { code: "invalid-configuration", message })
    })
  }

  const good: readonly (readonly [node: string, title: string, model?: Model])[] = [
    ["3", "Prompt {{ text = prompt }} of ours"],
    ["3", "{{text=background_color.hex}}"],
    ["2", "{{width=background_color.r}} {{height=size square=1 square_hd=2.5}}"],
    ["2", "{{is_tiled=enable_safety_checker}}"],
    ["2", "{{is_tiled=size square=true square_hd=false}} {{only enable_safety_checker=false}}"],
    ["3", "{{text=image_urls[1]}}", imageEdit],
    ["2", "{{width=count*16+8}}", imageEdit],
    ["3", "{{text=aspect_ratio 16:9=wide 1:1=square}} {{only count=1,2}}", imageEdit],
  ]
  for (const [node, title, model] of good) {
    it(`with ${title} is taken`, async () => {
      assert.equal(await open(toText(withTitle(node, title)), model), "taken")
    })
  }
})

describe("the settings of a ComfyUI server", () => {
  const workflows = { [textToImage.id]: "/nowhere/own.json" }
  const wrong: readonly (readonly [string, Partial<ComfyUiOptions>, RegExp])[] = [
    ["a file that is not there", {}, /^workflow \/nowhere\/own\.json: there is no such file$/],
    [
      "a model that there is not",
      { workflows: { "vendor-x/picture": "a.json" } },
      /^channel comfyui: workflows names vendor-x\/picture, which is no model$/,
    ],
    ["no workflow", { workflows: {} }, /^channel comfyui: workflows must name a file for a model$/],
    ["no URL", { baseUrl: "host" }, /^channel comfyui: baseUrl must be an http or https URL/],
    ["a user in the URL", { baseUrl: "http://a:b@host" }, /: baseUrl must be an http/],
    ["a query in the URL", { baseUrl: "http://host/?a" }, /: baseUrl must be an http/],
    ["no room", { concurrency: 0 }, /: concurrency must be a positive integer$/],
    ["an odd key", { key: "a b" }, /: its key is empty, or holds what no key does$/],
    [
      "an odd key of partners",
      { partnerKey: "" },
      /: its key is empty, or holds what no key does$/,
    ],
  ]
  for (const [words, options, message] of wrong) {
    it(`are refused with ${words}`, async () => {
      const opened = createComfyUiChannel({ workflows, ...options })
      await assert.rejects(opened, { code: "invalid-configuration", message })
    })
  }
})
