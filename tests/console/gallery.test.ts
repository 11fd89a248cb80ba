/** The gallery and the usage: what came out, and what it cost. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, FILM, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("what came out, in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld()
    await world.client.run(PICTURE, { prompt: "a lighthouse", size: "square" })
    await world.client.run(FILM, { prompt: "waves", duration: 4, resolution: "480p" })
  })

  after(() => world[Symbol.asyncDispose]())

  it("is shown as pictures and films, with the time that is left, and what comes next by itself", async () => {
    const { page, complaints } = await world.enter("#/gallery")
    await page.getByRole("img", { name: /image_1/ }).waitFor()
    await page.locator("video").waitFor()
    await page
      .getByText(/gone in \d+ days/)
      .first()
      .waitFor()
    await world.client.run(PICTURE, { prompt: "dusk", size: "square" })
    await page
      .getByRole("img", { name: /image_1/ })
      .nth(1)
      .waitFor()
    await page.locator("video").click()
    await page.getByRole("heading", { name: FILM }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it("is added up by day and by model", async () => {
    const { page, complaints } = await world.enter("#/usage")
    const { charge_micros: micros } = await world.client.usage()
    await page.locator(".plot canvas").waitFor()
    const words = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2 }).format(micros / 1e6)
    const card = page.getByRole("region", { name: "The last 14 days" })
    await card.getByText(words, { exact: true }).waitFor()
    await page.getByText("As a table").click()
    assert.equal(await page.getByRole("region", { name: "By day" }).locator("tbody tr").count(), 14)
    const film = page.getByRole("row").filter({ hasText: FILM })
    await film.getByText("0.40").waitFor()
    assert.deepEqual(complaints, [])
  })
})
