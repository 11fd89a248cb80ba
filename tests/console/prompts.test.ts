/** What tells tasks apart: the beginning of the prompt, in the list and in the gallery, until it is erased. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("the prompts of tasks, in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let first: string

  before(async () => {
    world = await createConsoleWorld({ currency: "credits" })
    first = (await world.client.run(PICTURE, { prompt: "a lighthouse", size: "square" })).task_id
  })

  after(() => world[Symbol.asyncDispose]())

  it("are in the list, of a task that is made meanwhile too", async () => {
    const { page, complaints } = await world.enter("#/tasks")
    await page.getByText("a lighthouse", { exact: true }).waitFor()
    await world.client.run(PICTURE, { prompt: "dusk in <b>fog</b>", size: "square" })
    await page.getByText("dusk in <b>fog</b>", { exact: true }).waitFor()
    assert.equal(await page.locator("[data-row]").count(), 2)
    assert.deepEqual(complaints, [])
  })

  it("are shown on a phone instead of the model", async () => {
    const { page } = await world.enter("#/tasks", { width: 390 })
    await page.getByText("a lighthouse", { exact: true }).waitFor()
  })

  it("are under the tiles of the gallery, and not in an operator's list of all tasks", async () => {
    const { page } = await world.enter("#/gallery")
    await page.getByText("a lighthouse", { exact: true }).waitFor()
    const operator = await world.enter("#/all-tasks", { isOperator: true })
    await operator.page.locator("[data-row]").first().waitFor()
    assert.equal(await operator.page.getByText("a lighthouse").count(), 0)
  })

  it("are gone once they are erased", async () => {
    const { account } = await world.client.me()
    await world.service.engine.erase({ account, id: first })
    const { page } = await world.enter("#/tasks")
    await page.getByText("dusk in <b>fog</b>", { exact: true }).waitFor()
    assert.equal(await page.getByText("a lighthouse").count(), 0)
    const { tasks } = await world.client.listPage({ include: "prompt" })
    assert.deepEqual(
      tasks.map(({ prompt }) => prompt),
      ["dusk in <b>fog</b>", null],
    )
  })

  it("stand with amounts in what the service calls its currency", async () => {
    const { page } = await world.enter(`#/tasks/${first}`)
    await page.getByText("0.01 credits").first().waitFor()
    assert.equal((await world.client.balance()).currency, "credits")
  })
})
