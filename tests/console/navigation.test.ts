/** Going from page to page while the pages' modules are still on their way, or can't be fetched. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, type ConsoleWorld } from "./console-world.ts"

const TASKS_MODULE = "**/assets/tasks-page-*.js"

describe("going through the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld()
  })

  after(() => world[Symbol.asyncDispose]())

  it("shows the page that was gone to last, though the one before is fetched later", async () => {
    const { page } = await world.enter("#/usage")
    const usage = page.getByRole("heading", { name: "Usage", exact: true })
    await usage.waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(TASKS_MODULE, async (route) => {
      await held.promise
      await route.continue()
    })
    const asked = page.waitForRequest(TASKS_MODULE)
    await page.getByRole("link", { name: "Tasks", exact: true }).click()
    const module = (await asked).url()
    await page.getByRole("link", { name: "Gallery" }).click()
    const gallery = page.getByRole("heading", { name: "Gallery" })
    await gallery.waitFor()
    held.resolve()
    await page.evaluate(`import(${JSON.stringify(module)})`)
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    assert.equal(await gallery.isVisible(), true)
  })

  it("says that a page can't be fetched, and fetches it when it is tried again", async () => {
    const { page } = await world.enter("#/usage")
    await page.route(TASKS_MODULE, (route) => route.abort())
    await page.getByRole("link", { name: "Tasks", exact: true }).click()
    await page.getByRole("alert").filter({ hasText: "This page can’t be fetched." }).waitFor()
    await page.unroute(TASKS_MODULE)
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("No tasks yet").waitFor()
  })
})
