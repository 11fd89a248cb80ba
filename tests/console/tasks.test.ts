/** The tasks and a task's page: "find what failed and why". */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, FILM, PICTURE, seekFilm, type ConsoleWorld } from "./console-world.ts"

describe("tasks in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let made: string
  let film: string
  let failed: string

  before(async () => {
    world = await createConsoleWorld()
    const { client } = world
    const labels = { project: "spring" }
    made = (await client.run(PICTURE, { prompt: "a lighthouse", size: "square" }, { labels }))
      .task_id
    film = (await client.run(FILM, { prompt: "waves", duration: 4, resolution: "480p" })).task_id
    const unreachable = { prompt: "waves", video_urls: ["http://127.0.0.1:9/none.mp4"] }
    failed = (await client.wait(await client.submit(FILM, unreachable))).task_id
  })

  after(() => world[Symbol.asyncDispose]())

  it("finds what failed, and why, from the list by keyboard", async () => {
    const { page, complaints } = await world.enter("#/tasks")
    await page.getByLabel("Status").selectOption("failed")
    await until(async () => (await page.locator("[data-row]").count()) === 1)
    await page.locator("[data-row] a").focus()
    await page.keyboard.press("Enter")
    await page.getByText("A referenced media file could not be downloaded.").first().waitFor()
    await page.getByText("media_download_failed").first().waitFor()
    assert.ok(page.url().endsWith(`#/tasks/${failed}`))
    const picture = page.getByRole("img", { name: "The task went through queued, failed." })
    await picture.waitFor()
    const lit = await page.locator(".states-edge.lit text").allTextContents()
    assert.deepEqual(lit.toSorted(), ["failed", "submitted"])
    assert.deepEqual(complaints, [])
  })

  it("moves through the rows by the arrow keys", async () => {
    const { page } = await world.enter("#/tasks")
    await page.locator("[data-row='0'] a").focus()
    await page.keyboard.press("ArrowDown")
    await page.locator("[data-row='1'] a:focus").waitFor()
    await page.keyboard.press("End")
    await page.locator("[data-row='2'] a:focus").waitFor()
  })

  it("finds a task by its id and tasks by a label", async () => {
    const { page } = await world.enter("#/tasks")
    const search = page.getByLabel("Task id or label")
    await search.fill("project=spring")
    await search.press("Enter")
    await until(async () => (await page.locator("[data-row]").count()) === 1)
    await search.fill("spring")
    await search.press("Enter")
    await page.getByText("Write a whole task id, or a label as key=value.").waitFor()
    await search.fill(film)
    await search.press("Enter")
    await page.getByRole("heading", { name: FILM }).waitFor()
  })

  it("keeps what came out for longer, where the account may", async () => {
    const { page } = await world.enter(`#/tasks/${made}`)
    const kept = await world.client.artifacts(made)
    await page.getByRole("button", { name: "Keep a week longer" }).click()
    await page.getByText(/^Kept until /).waitFor()
    const held = await world.client.artifacts(made)
    const toEnds = (list: typeof kept): number[] => list.map(({ expires_at: at = 0 }) => at)
    assert.deepEqual(
      toEnds(held),
      toEnds(kept).map((at) => at + 7 * 86_400),
    )
  })

  it("shows a task's picture, its way, what it cost and why its channel was chosen", async () => {
    const { page, complaints, requested } = await world.enter(`#/tasks/${made}`)
    const picture = page.getByRole("img", { name: "image_1" })
    await picture.waitFor()
    assert.match((await picture.getAttribute("src")) ?? "", /^blob:/)
    await page.getByText("1 × 0.01").waitFor()
    await page
      .getByText(/tier 1/)
      .first()
      .waitFor()
    await page.getByRole("link", { name: "project=spring" }).waitFor()
    await page.getByRole("button", { name: /Show larger/ }).click()
    await page.getByRole("dialog").getByRole("img", { name: "image_1" }).waitFor()
    await page.keyboard.press("Escape")
    await page.locator("dialog").waitFor({ state: "detached" })
    assert.deepEqual(complaints, [])
    assert.equal(
      requested.some(({ href }) => href.includes(world.key)),
      false,
    )
  })

  it("plays a film, and seeks in it", async () => {
    const { page } = await world.enter(`#/tasks/${film}`)
    await page.locator("video").waitFor()
    assert.deepEqual(await seekFilm(page), [4, 3])
  })

  it("makes a private link that opens without the key", async () => {
    const { page } = await world.enter(`#/tasks/${made}`)
    await page.getByRole("button", { name: "Link", exact: true }).click()
    await page.getByRole("button", { name: "Make the link" }).click()
    const link = page.getByRole("dialog").locator("code")
    await link.waitFor()
    const response = await fetch((await link.textContent()) ?? "")
    assert.equal(response.status, 200)
    assert.equal(response.headers.get("content-type"), "image/png")
  })

  it("shows a task that is submitted elsewhere, without being asked again", async () => {
    const { page } = await world.enter("#/tasks")
    await page.locator("[data-row='2']").waitFor()
    const { task_id: id } = await world.client.submit(PICTURE, { prompt: "dusk", size: "square" })
    await page.locator("[data-row]").filter({ hasText: id }).getByText("Succeeded").waitFor()
  })

  it("says that there is no such task", async () => {
    const { page } = await world.enter("#/tasks/019a0000-0000-7000-8000-000000000001")
    await page.getByText("There is no such task").waitFor()
  })
})
