/** The playground: "play, watch, download". */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { after, before, describe, it } from "node:test"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, FILM, PICTURE, type ConsoleWorld } from "./console-world.ts"

const route = (model: string): string => `#/playground?model=${encodeURIComponent(model)}`

describe("the playground", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld()
  })

  after(() => world[Symbol.asyncDispose]())

  it("tells the price, makes a picture, shows it, and saves it", async () => {
    const { page, complaints } = await world.enter(route(PICTURE))
    await page.getByLabel("Prompt").fill("a lighthouse at dusk")
    await page.getByLabel("Size").selectOption("square")
    await page.getByText("1 × 0.01").waitFor()
    await page.getByRole("button", { name: "Make it" }).click()
    await page.getByRole("img", { name: "image_1" }).waitFor()
    const saving = page.waitForEvent("download")
    await page.getByRole("link", { name: "Download" }).click()
    const saved = await saving
    assert.match(saved.suggestedFilename(), /-image_1\.png$/)
    const bytes = await readFile(await saved.path())
    assert.deepEqual(Array.from(bytes.subarray(0, 4)), [0x89, 0x50, 0x4e, 0x47])
    assert.deepEqual(complaints, [])
  })

  it("buys a film once, though the first answer is lost", async () => {
    const { page } = await world.enter(route(FILM))
    await page.getByLabel("Prompt").fill("waves at night")
    await page.getByLabel("Duration").fill("4")
    await page.getByLabel("Resolution").selectOption("480p")
    let lost = 0
    await page.route("**/v1/tasks", async (sent) => {
      if (sent.request().method() !== "POST" || lost > 0) return sent.continue()
      lost += 1
      await sent.fetch()
      return sent.abort()
    })
    const count = async (): Promise<number> =>
      (await world.client.listPage({ limit: 100 })).tasks.length
    const known = await count()
    await page.getByText("4 s × 0.10").waitFor()
    await page.getByRole("button", { name: "Make it" }).click()
    await page.locator("video").waitFor()
    assert.equal(lost, 1)
    assert.equal(await count(), known + 1)
  })

  it("goes again with other words, keeping everything else", async () => {
    const { page } = await world.enter(route(PICTURE))
    await page.getByLabel("Prompt").fill("first words")
    await page.getByLabel("Size").selectOption("square")
    await page.getByRole("button", { name: "Make it" }).click()
    await page.getByRole("button", { name: "Again with other words" }).click()
    await page.locator("textarea:focus").waitFor()
    await page.keyboard.type("other words")
    assert.equal(await page.getByLabel("Size").inputValue(), "square")
    await page.getByRole("button", { name: "Make it" }).click()
    await until(async () => (await page.getByRole("article").count()) === 2)
    await page.getByRole("article").first().getByText("other words", { exact: true }).waitFor()
  })

  it("writes lines that do the same, without the key", async () => {
    const { page } = await world.enter(route(PICTURE))
    await page.getByLabel("Prompt").fill("it's dusk")
    const code = page.locator(".code pre")
    await until(async () => (await code.textContent())?.includes(String.raw`it'\''s dusk`))
    await page.getByRole("button", { name: "TypeScript" }).click()
    await until(async () => (await code.textContent())?.includes('"prompt": "it\'s dusk"'))
    assert.equal((await page.content()).includes(world.key), false)
  })

  it("shows what is wrong with a parameter at its field", async () => {
    const { page } = await world.enter(route(FILM))
    await page.getByLabel("Prompt").fill("waves")
    await page.getByLabel("Duration").fill("99")
    await page.locator(".parameter").filter({ hasText: "Duration" }).getByRole("alert").waitFor()
  })

  it("takes pictures that are chosen, and sends them", async () => {
    const { page } = await world.enter(route("vendor-b/imagine-image/v2.0/edit"))
    const { task_id: id } = await world.client.run(PICTURE, { prompt: "dusk", size: "square" })
    const blob = await world.client.artifact(id, "image_1").blob()
    const buffer = Buffer.from(await blob.arrayBuffer())
    const file = { name: "dusk.png", mimeType: "image/png", buffer }
    await page.getByLabel("Image URLs: files").setInputFiles(file)
    await page.getByRole("img", { name: "Item 1" }).waitFor()
    await page.getByLabel("Prompt").fill("brighter")
    await page.getByRole("button", { name: "Make it" }).click()
    await page.getByRole("img", { name: "image_1" }).waitFor()
  })

  for (const way of ["paste", "drop"] as const) {
    it(`takes a picture by ${way}, and refuses what is none`, async () => {
      const { page, complaints } = await world.enter(route("vendor-b/imagine-image/v2.0/edit"))
      const field = page.getByRole("group", { name: "Image URLs" })
      await field.waitFor()
      await give(page, way, "text/plain")
      await field.getByRole("alert").waitFor()
      assert.equal(await field.getByRole("img").count(), 0)
      await give(page, way, "image/png")
      await field.getByRole("img", { name: "Item 1" }).waitFor()
      assert.equal(await field.getByRole("alert").count(), 0)
      assert.deepEqual(complaints, [])
    })
  }

  for (const [what, prompt] of [
    ["with markup", '<img src=x onerror="window.broken = true"><b>bold</b>'],
    ["from right to left", "غروب الشمس على البحر"],
    ["of ten thousand characters", "x".repeat(10_000)],
  ] as const) {
    it(`shows a prompt ${what} as text, and no wider than the page`, async () => {
      const { page, complaints } = await world.enter(route(PICTURE), { width: 390, height: 844 })
      await page.getByLabel("Prompt").fill(prompt)
      await page.getByLabel("Size").selectOption("square")
      await page.getByRole("button", { name: "Make it" }).click()
      const run = page.getByRole("article")
      await run.getByRole("img", { name: "image_1" }).waitFor()
      assert.equal(await run.locator("bdi").first().textContent(), prompt)
      assert.equal(await page.evaluate("window.broken"), undefined)
      assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
      assert.deepEqual(complaints, [])
    })
  }
})

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Hands the field a file as the browser does when it is pasted or dropped there. */
async function give(page: Page, way: "paste" | "drop", type: string): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    const bytes = Uint8Array.from(atob("${PIXEL}"), (character) => character.charCodeAt(0))
    clipboardData.items.add(new File([bytes], "given", { type: "${type}" }))
    const options = { bubbles: true, cancelable: true }
    const event = "${way}" === "paste"
      ? new ClipboardEvent("paste", { ...options, clipboardData })
      : new DragEvent("drop", { ...options, dataTransfer: clipboardData })
    document.querySelector(".media-field input[type=url]").dispatchEvent(event)
  }`)
}
