/** Spending in the console, for an operator: "who spent what" takes two clicks. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { createClient } from "@safelight/client"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("spending in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let account: string

  before(async () => {
    world = await createConsoleWorld()
    account = (await world.client.me()).account
    const { service } = world
    const request = { keys: service.storage, account: "marketing", now: Date.now() }
    const marketing = createClient({ url: service.url, key: (await createKey(request)).key })
    for (const client of [world.client, marketing, marketing]) {
      await client.run(PICTURE, { prompt: "fog", size: "square" })
    }
  })

  after(() => world[Symbol.asyncDispose]())

  it("shows who spent what after two clicks, and what one account spent after another", async () => {
    const { page, complaints } = await world.enter("#/tasks", { isOperator: true })
    await page.getByRole("link", { name: "Spending" }).click()
    await page.getByRole("link", { name: "Account", exact: true }).click()
    assert.deepEqual(await readRows(page, "account"), [
      ["marketing", "0.02"],
      [account, "0.01"],
    ])
    await page.getByRole("link", { name: "marketing" }).click()
    await page.getByText("Only the account marketing").waitFor()
    const sums = page.getByRole("region", { name: "In all" })
    await sums.locator("div", { hasText: /^Charged0.02$/ }).waitFor()
    await sums.locator("div", { hasText: /^Tasks2$/ }).waitFor()
    assert.deepEqual(
      (await readRows(page, "day")).map(([, charged]) => charged),
      ["0.02"],
    )
    await page.getByRole("link", { name: "All accounts" }).click()
    assert.equal((await readRows(page, "account")).length, 2)
    assert.deepEqual(complaints, [])
  })

  it("is told by model and by channel, for a period in the address", async () => {
    const { page } = await world.enter("#/spending?by=model&days=7", { isOperator: true })
    assert.deepEqual(await readRows(page, "model"), [[PICTURE, "0.03"]])
    await page.getByRole("img", { name: "Charged and cost by day over the last 7 days" }).waitFor()
    await page.getByRole("link", { name: "Channel", exact: true }).click()
    assert.deepEqual(await readRows(page, "channel"), [["studio", "0.03"]])
    await page.getByLabel("Period").selectOption({ label: "The last 90 days" })
    await page.getByRole("img", { name: /over the last 90 days/ }).waitFor()
    assert.match(page.url(), /by=channel&days=90$/)
  })

  it("takes an address that makes no sense for the first view", async () => {
    const { page } = await world.enter("#/spending?by=<b>&days=-1", { isOperator: true })
    await page.getByRole("img", { name: /over the last 30 days/ }).waitFor()
    assert.equal((await readRows(page, "day")).length, 1)
  })

  it("says that nothing was spent", async () => {
    const { page } = await world.enter("#/spending?account=nobody", { isOperator: true })
    await page.getByText("Nothing was spent").waitFor()
    await page.getByText("Only the account nobody").waitFor()
  })

  it("says of costs that nobody told that they are at least what is shown", async () => {
    const { page } = await world.enter("#/tasks", { isOperator: true })
    const row = { name: "lab", tasks: 3, succeeded: 2, failed: 1, unknown_costs: 1 }
    const money = { charge_micros: 1_000_000, cost_micros: 2_500_000, margin_micros: -1_500_000 }
    const usage = { by: "account", from: 0, to: 1, rows: [{ ...row, ...money }], has_more: true }
    await page.route("**/v1/admin/usage?by=account**", (route) =>
      route.fulfill({ contentType: "application/json", body: JSON.stringify(usage) }),
    )
    await page.getByRole("link", { name: "Spending" }).click()
    await page.getByRole("link", { name: "Account", exact: true }).click()
    await page.getByText("at least $2.50").waitFor()
    await page.getByText("at most -1.50").waitFor()
    await page.getByText("Only the first 1 are shown.").waitFor()
  })
})

/** Names and charges of the table's rows, in their order. */
async function readRows(page: Page, by: string): Promise<readonly (readonly string[])[]> {
  const rows = page.getByRole("region", { name: `Spending by ${by}` }).locator("tbody tr")
  await rows.first().waitFor()
  return Promise.all(
    (await rows.all()).map(async (row) => [
      await row.getByRole("rowheader").innerText(),
      await row.getByRole("cell").first().innerText(),
    ]),
  )
}
