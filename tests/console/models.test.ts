/** The models: found, explained, priced and tried; and for an operator, who makes them and how that goes. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { DEFAULT_PRICES, MODELS, readModelFile, type Model } from "@safelight/core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, FILM, PICTURE, type ConsoleWorld } from "./console-world.ts"

const EXAMPLE = { text: "Good morning", voice: "ada" }

const FILE = {
  id: "acme/speech",
  title: "Morning speech",
  description: "Reads a text aloud.",
  outputs: { audio: { seconds: 60 } },
  parameters: {
    type: "object",
    required: ["text"],
    properties: {
      text: { type: "string", minLength: 1, maxLength: 3_000, description: "What is read." },
      voice: { enum: ["ada", "grace"], default: "ada" },
      quality: { enum: ["low", "high"], default: "low" },
      sound: {
        type: "object",
        properties: { pitch: { type: "integer", minimum: -9, maximum: 9 } },
      },
    },
  },
  examples: [EXAMPLE],
}

const FACTORS = { voice: { ada: "1", grace: "1.5" }, quality: { low: "1", high: "2.5" } }

const [TABLE] = DEFAULT_PRICES
const PRICES = [
  {
    version: "own",
    models: { ...TABLE.models, [FILE.id]: { perAudioSecondMicros: 20_000, factors: FACTORS } },
  },
] as const

function readModel(): Model {
  const read = readModelFile(FILE)
  assert.ok("model" in read, JSON.stringify(read))
  return read.model
}

describe("the models, in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let failed = ""

  before(async () => {
    world = await createConsoleWorld({ models: [...MODELS, readModel()], prices: PRICES })
    const { client } = world
    await client.run(PICTURE, { prompt: "a lighthouse", size: "square" })
    const unreachable = { prompt: "waves", video_urls: ["http://127.0.0.1:9/none.mp4"] }
    failed = (await client.wait(await client.submit(FILM, unreachable))).task_id
  })

  after(() => world[Symbol.asyncDispose]())

  it("are found by words and by kind, and opened by keyboard", async () => {
    const { page, complaints } = await world.enter("#/models")
    const rows = page.locator("[data-row]")
    await until(async () => (await rows.count()) === MODELS.length + 1)
    await page.getByText("No channel can make it").waitFor()
    await page.getByText("from 0.02 a second of audio").waitFor()
    await page.getByLabel("Search").fill("aloud SPEECH")
    await until(async () => (await rows.count()) === 1)
    await page.getByLabel("Search").fill("")
    await page.getByLabel("Makes").selectOption("video")
    await until(async () => (await rows.count()) === 1)
    await page.locator("[data-row] a").focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: FILM }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it("tell what can be asked for, what each combination costs, and why they can't be made", async () => {
    const { page } = await world.enter(`#/models/${FILE.id}`)
    await page.getByRole("heading", { name: FILE.title }).waitFor()
    const prices = page.getByRole("region", { name: "Prices" }).locator("tbody tr")
    assert.deepEqual(await prices.allInnerTexts().then((texts) => texts.map(toWords)), [
      "ada low 0.02 a second of audio",
      "ada high 0.05 a second of audio",
      "grace low 0.03 a second of audio",
      "grace high 0.075 a second of audio",
    ])
    const parameters = page.getByRole("region", { name: "Parameters" }).locator("tbody tr")
    assert.deepEqual(await parameters.allInnerTexts().then((texts) => texts.map(toWords)), [
      "text required text of 1 to 3,000 characters What is read.",
      "voice one of ada, grace (ada by default)",
      "quality one of low, high (low by default)",
      "sound several values, below",
      "sound.pitch whole number, -9 to 9",
    ])
    await page.getByText("No channel can make it").waitFor()
  })

  it("are tried with their example", async () => {
    const { page } = await world.enter(`#/models/${FILE.id}`)
    await page.getByRole("button", { name: "Try this example" }).click()
    await page.getByRole("heading", { name: "Playground" }).waitFor()
    const text = page.getByLabel("Text", { exact: true })
    await until(async () => (await text.inputValue()) === EXAMPLE.text)
  })

  it("tell an operator who makes them, what they brought in, and what failed last", async () => {
    const { page } = await world.enter(`#/models/${FILM}`, { isOperator: true })
    await page.getByRole("region", { name: "Channels" }).getByText("studio").first().waitFor()
    const failures = page.getByRole("region", { name: "Failures" })
    await failures.getByText("media_download_failed").waitFor()
    await failures.getByRole("link").click()
    await until(() => page.url().endsWith(`#/all-tasks/${failed}`))
  })

  it("tell an account nothing of that", async () => {
    const asked: string[] = []
    const { page, requested } = await world.enter(`#/models/${FILM}`)
    await page.getByRole("heading", { name: "What can be asked for" }).waitFor()
    asked.push(...requested.map(({ pathname }) => pathname))
    assert.equal(await page.getByRole("heading", { name: "Who makes it" }).count(), 0)
    assert.ok(!asked.some((path) => path.startsWith("/v1/admin")))
  })
})

function toWords(text: string): string {
  return text.trim().split(/\s+/).join(" ")
}
