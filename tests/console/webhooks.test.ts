/** Webhooks in the console: adding one, seeing what was sent, switching it off, deleting it. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, type ConsoleWorld } from "./console-world.ts"

const ADDRESS = "https://example.com/hook?from=console"

describe("webhooks in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld()
  })

  after(() => world[Symbol.asyncDispose]())

  it("are added, tested, switched off and deleted", async () => {
    const { page } = await world.enter("#/webhooks")
    await page.getByText("No webhooks yet").waitFor()
    await page.getByRole("button", { name: "Add a webhook" }).click()
    await page.getByLabel("Address").fill(ADDRESS)
    await page.getByRole("button", { name: "Add it" }).click()
    await page
      .getByRole("dialog")
      .getByText(/^whsec_/)
      .waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: ADDRESS }).click()
    await page.getByRole("button", { name: "Send a test" }).click()
    await page.getByText("webhook.test").waitFor()
    await page.getByRole("button", { name: "Switch off" }).click()
    await page.getByRole("button", { name: "Switch on" }).waitFor()
    const [kept] = await world.client.webhooks.list()
    assert.equal(kept?.enabled, false)
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete it" }).click()
    await page.getByText("No webhooks yet").waitFor()
    assert.deepEqual(await world.client.webhooks.list(), [])
  })

  it("that are not there are said to be so, with a way to the others", async () => {
    const { page } = await world.enter("#/webhooks/whe_unknown")
    await page.getByRole("heading", { name: "There is no such webhook" }).waitFor()
    await page.getByRole("link", { name: "See all webhooks" }).click()
    await page.getByText("No webhooks yet").waitFor()
  })

  it("say what is wrong with an address", async () => {
    const { page } = await world.enter("#/webhooks")
    await page.getByRole("button", { name: "Add a webhook" }).click()
    await page.getByLabel("Address").fill("https://name:word@example.com/")
    await page.getByRole("button", { name: "Add it" }).click()
    await page.getByRole("alert").waitFor()
    assert.deepEqual(await world.client.webhooks.list(), [])
  })
})
