/** The playground's form of a model that takes everything that a schema can ask for. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { AxeBuilder } from "@axe-core/playwright"
import { DEFAULT_PRICES, MODELS, readModelFile, type Model } from "@safelight/core"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, type ConsoleWorld } from "./console-world.ts"

const EXAMPLE = {
  prompt: "two people at sea",
  size: { width: 640, height: 480 },
  elements: [{ image_url: "https://pictures.example/one.png", tags: ["ada"] }],
}

const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum })
const media = (kind: string) => ({ type: "string", format: "uri", "x-media": kind })

/** As a file of JSON has it. */
const FILE = {
  id: "acme/everything",
  title: "Everything",
  description: "Takes all that can be asked for.",
  outputs: { image: 1 },
  parameters: {
    type: "object",
    required: ["prompt"],
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 5_000 },
      speed: { type: "number", minimum: 0.5, maximum: 2, default: 1 },
      voice: { type: "string", minLength: 1, maxLength: 40, pattern: "^[a-z]+$" },
      count: { enum: [1, 2, 4], default: 1 },
      seed: { type: ["integer", "null"], minimum: 0, maximum: 100, default: 7 },
      size: {
        anyOf: [
          { enum: ["square", "wide"] },
          {
            type: "object",
            required: ["width", "height"],
            properties: { width: integer(64, 2_048), height: integer(64, 2_048) },
          },
        ],
      },
      settings: {
        type: "object",
        properties: { loud: { type: "boolean", default: false }, pitch: integer(-9, 9) },
      },
      elements: {
        type: "array",
        maxItems: 2,
        items: {
          type: "object",
          required: ["image_url"],
          properties: {
            image_url: media("image"),
            tags: {
              type: "array",
              maxItems: 3,
              items: { type: "string", minLength: 1, maxLength: 20 },
            },
          },
        },
      },
      sound_url: media("audio"),
    },
  },
  examples: [EXAMPLE],
}

function readModel(): Model {
  const read = readModelFile(FILE)
  assert.ok("model" in read, JSON.stringify(read))
  return read.model
}

const [TABLE] = DEFAULT_PRICES
const models = { ...TABLE.models, [FILE.id]: { perImageMicros: 30_000 } }
const prices = [{ version: "own", models }] as const
const ROUTE = `#/playground?model=${encodeURIComponent(FILE.id)}`

describe("the playground of a model of one's own", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld({ models: [...MODELS, readModel()], prices })
  })

  after(() => world[Symbol.asyncDispose]())

  it("fills in the example, which the service takes", async () => {
    const { page, complaints } = await world.enter(ROUTE)
    await page.getByText("Takes all that can be asked for.").waitFor()
    await page.getByRole("button", { name: "Fill in an example" }).click()
    await page.getByText("1 × 0.03").waitFor()
    assert.deepEqual((await readOrder(page)).parameters, EXAMPLE)
    assert.equal(await page.getByLabel("Width").inputValue(), "640")
    assert.equal(await page.getByLabel("Tags, 1").inputValue(), "ada")
    assert.deepEqual(complaints, [])
  })

  it("sends what is filled in, of each kind, and nothing else", async () => {
    const { page } = await world.enter(ROUTE)
    await page.getByLabel("Prompt").fill("a lighthouse")
    await page.getByLabel("Speed").fill("1.25")
    await page.getByLabel("Voice").fill("ada")
    await page.getByLabel("Count").selectOption("4")
    await page.getByLabel("Seed: none").check()
    await page.getByLabel("Size as").selectOption({ label: "One of a list" })
    await page.getByLabel("One of a list").selectOption("wide")
    await page.getByLabel("Loud").check()
    const elements = page.getByRole("group", { name: "Elements", exact: true })
    await elements.getByRole("button", { name: "Add to Elements" }).click()
    await elements.getByLabel("Image URL: address").fill("https://pictures.example/two.png")
    await elements.getByLabel("Image URL: address").press("Enter")
    await elements.getByRole("button", { name: "Add to Tags" }).click()
    await elements.getByLabel("Tags, 1").fill("grace")
    const sound = { name: "sound.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF") }
    await page.getByLabel("Sound URL: files").setInputFiles(sound)
    await until(async () => (await readOrder(page)).parameters["sound_url"] !== undefined)
    const { sound_url: url, ...others } = (await readOrder(page)).parameters
    assert.match(String(url), /^data:audio\/(x-)?wav;base64,/)
    assert.deepEqual(others, {
      prompt: "a lighthouse",
      speed: 1.25,
      voice: "ada",
      count: 4,
      seed: null,
      size: "wide",
      settings: { loud: true },
      elements: [{ image_url: "https://pictures.example/two.png", tags: ["grace"] }],
    })
    await page.getByText("1 × 0.03").waitFor()
    await page.getByRole("button", { name: "Remove Elements, 1" }).click()
    assert.equal((await readOrder(page)).parameters["elements"], undefined)
  })

  it("shows what is wrong at the field that the service names", async () => {
    const { page } = await world.enter(ROUTE)
    await page.getByRole("button", { name: "Fill in an example" }).click()
    await page.getByRole("button", { name: "Add to Tags" }).click()
    const tag = page.getByLabel("Tags, 2")
    await tag.fill("longer than twenty characters")
    await until(async () => (await tag.getAttribute("aria-invalid")) === "true")
    assert.equal(await page.getByRole("alert").count(), 1)
    await tag.fill("bob")
    await page.getByLabel("Width").fill("9")
    const width = page.getByLabel("Width")
    await until(async () => (await width.getAttribute("aria-invalid")) === "true")
    await page.getByLabel("Width").fill("640")
    await page.getByText("1 × 0.03").waitFor()
    assert.equal(await page.getByRole("alert").count(), 0)
  })

  for (const colorScheme of ["light", "dark"] as const) {
    it(`can be used by everybody, on a phone too, in ${colorScheme}`, async () => {
      const { page } = await world.enter(ROUTE, { colorScheme, width: 390 })
      await page.getByRole("button", { name: "Fill in an example" }).click()
      await page.getByText("1 × 0.03").waitFor()
      const { violations } = await new AxeBuilder({ page }).analyze()
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]),
        [],
      )
      const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
      assert.equal(wide, false)
    })
  }
})

interface Order {
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What the lines of code send. */
async function readOrder(page: Page): Promise<Order> {
  const code = (await page.locator(".code pre").textContent()) ?? ""
  return JSON.parse(/-d '(.*)'$/s.exec(code)?.[1] ?? "{}") as Order
}
