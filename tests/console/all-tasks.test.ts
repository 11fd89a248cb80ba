/** The tasks of all accounts in the console: listed, found by account, proved in the browser, cancelled, settled. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { createClient, type Client, type StoredEvent } from "@safelight/client"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("all tasks in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let theirs: Client

  before(async () => {
    world = await createConsoleWorld()
    const { storage, url } = world.service
    const { key } = await createKey({ keys: storage, account: "acme", now: Date.now() })
    theirs = createClient({ url, key })
    await world.client.run(PICTURE, { prompt: "fog", size: "square" })
  })

  after(() => world[Symbol.asyncDispose]())

  it("are listed with their accounts, found by one of them, and brought up to date", async () => {
    await theirs.run(PICTURE, { prompt: "a lighthouse", size: "square" })
    const { page, complaints } = await world.enter("#/all-tasks", { isOperator: true })
    const table = page.getByRole("table", { name: "Tasks of all accounts" })
    await table.getByRole("cell", { name: "acme", exact: true }).waitFor()
    assert.equal(await table.getByRole("row").count(), 3)
    await page.getByRole("searchbox", { name: "Account" }).fill("acme")
    await page.keyboard.press("Enter")
    // Meanwhile there is no table.
    await until(async () => (await table.getByRole("row").count()) === 2)
    assert.match(page.url(), /account=acme/)
    await theirs.run(PICTURE, { prompt: "another", size: "square" })
    await table.getByRole("row").nth(2).waitFor()
    assert.deepEqual(complaints, [])
  })

  it("show their log, and prove it in the browser, without a word of the prompt", async () => {
    const { task_id: id } = await theirs.run(PICTURE, {
      prompt: "a secret harbour",
      size: "square",
    })
    const { page, complaints } = await world.enter(`#/all-tasks/${id}`, { isOperator: true })
    await page.getByRole("heading", { name: "Proof" }).waitFor()
    await page.getByRole("button", { name: "Prove" }).press("Enter")
    await page.getByText("The chain is whole.").waitFor()
    const operator = createClient({ url: world.service.url, key: world.operatorKey })
    const hash = (await operator.admin.taskEvents(id)).at(-1)?.hash ?? ""
    await page.getByRole("status").getByText(hash).waitFor()
    await page.getByText('"chargeMicros"').first().waitFor({ state: "attached" })
    await page
      .getByLabel(/^What is sealed of event/)
      .getByText('"locators"')
      .waitFor()
    assert.ok(!(await page.content()).includes("a secret harbour"))
    assert.deepEqual(complaints, [])
  })

  // As a database would answer in which somebody changed a charge, or what is sealed.
  const changes = {
    charge: ({ data }: StoredEvent) => ({
      data: data.replace(/"chargeMicros":\d+/, '"chargeMicros":1'),
    }),
    cost: ({ sealed }: StoredEvent) => ({ sealed: sealed?.replace(/"cost":/, '"cosT":') }),
  }
  for (const [what, change] of Object.entries(changes)) {
    it(`say at which event a log is not as it was sealed: another ${what}`, async () => {
      const { task_id: id } = await theirs.run(PICTURE, { prompt: "fog", size: "square" })
      const { page } = await world.enter("#/all-tasks", { isOperator: true })
      await page.route(`**/v1/admin/tasks/${id}/events`, async (route) => {
        const response = await route.fetch()
        const log = (await response.json()) as { events: StoredEvent[] }
        const last = log.events.at(-1) ?? assert.fail()
        const events = [...log.events.slice(0, -1), { ...last, ...change(last) }]
        await route.fulfill({ response, json: { ...log, events } })
      })
      await page.goto(`${world.service.url}/#/all-tasks/${id}`)
      await page.getByRole("button", { name: "Prove" }).click()
      await page.getByText(/The chain is broken at event \d+\./).waitFor()
    })
  }

  it("are cancelled after a question", async () => {
    const task = await theirs.submit(PICTURE, { prompt: "[studio: delay 60s] fog" })
    const { page } = await world.enter(`#/all-tasks/${task.task_id}`, { isOperator: true })
    await page.getByRole("button", { name: "Cancel the task" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the task" }).click()
    await page.getByText(/^(Cancelled|Stopped)/).waitFor()
    await page.getByText("task_cancelled").first().waitFor()
  })

  it("are no longer shown as running once they have ended", async () => {
    const { task_id: id } = await theirs.submit(PICTURE, { prompt: "[studio: delay 60s] fog" })
    const { page, complaints } = await world.enter("#/all-tasks?status=running", {
      isOperator: true,
    })
    const row = page.getByRole("row").filter({ hasText: id })
    await row.waitFor()
    // It follows a rendering from its first poll on.
    await until(
      () => theirs.cancel(id),
      ({ outcome }) => outcome !== "unknown",
    )
    await row.waitFor({ state: "detached" })
    await page.getByText("No task matches").waitFor()
    assert.deepEqual(complaints, [])
  })

  it("are shown to no account's own key", async () => {
    const { page } = await world.enter("#/all-tasks")
    await page.getByText("This page is for operators").waitFor()
    assert.equal(await page.getByRole("table").count(), 0)
  })
})
