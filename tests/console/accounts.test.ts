/** The accounts in the console: one is added, limited and suspended, and its keys are made, replaced and revoked. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createClient, isApiError, type Client } from "@safelight/client"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("accounts in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let operator: Client

  before(async () => {
    world = await createConsoleWorld()
    operator = createClient({ url: world.service.url, key: world.operatorKey })
    await world.client.run(PICTURE, { prompt: "fog", size: "square" })
  })

  after(() => world[Symbol.asyncDispose]())

  const enter = (route: string) => world.enter(route, { isOperator: true })

  /** By keyboard. */
  async function press(page: Page, name: string): Promise<void> {
    await page.getByRole("button", { name, exact: true }).last().press("Enter")
  }

  /** Closes the dialog; until it has gone, the page behind it takes no keys. */
  async function leave(page: Page): Promise<void> {
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.locator("dialog").waitFor({ state: "detached" })
  }

  async function makeKey(page: Page): Promise<Client> {
    await press(page, "Make a key")
    await press(page, "Make it")
    return readKey(page)
  }

  /** The key that is shown; the dialog is closed. */
  async function readKey(page: Page): Promise<Client> {
    const key = await page.getByRole("dialog").locator("code.key-text").textContent()
    await leave(page)
    return createClient({ url: world.service.url, key: key ?? "" })
  }

  /** Resolves once the service refuses the key. */
  async function untilRefused(client: Client, status: 401 | 403): Promise<void> {
    const ask = () => client.me().catch((error: unknown) => isApiError(error) && error.status)
    await until(ask, (answer) => answer === status)
  }

  it("are listed, one is added, and shown with what it spent", async () => {
    const { page } = await enter("#/accounts")
    const { account: own } = await world.client.me()
    await page.getByRole("rowheader", { name: own }).waitFor()
    await press(page, "Add an account")
    await page.getByLabel("Name").fill("a".repeat(300))
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").getByRole("alert").waitFor()
    await page.getByLabel("Name").fill("acme")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "acme", level: 1 }).waitFor()
    await page.getByText("Nobody can act for this account.").waitFor()
    assert.equal((await operator.admin.accounts.get("acme")).account, "acme")
    await page.goto(`${world.service.url}/#/accounts/${own}`)
    const sums = page.getByRole("region", { name: "Sums" })
    await sums.getByText("0.01").first().waitFor()
  })

  it("are limited, each field for itself, and told what is no limit", async () => {
    const { page } = await enter("#/accounts/limited")
    await page.getByText("There is no such account").waitFor()
    await operator.admin.accounts.set("limited", { running_tasks: 7 })
    await page.reload()
    await page.getByLabel("Budget").fill("lots")
    await press(page, "Save")
    await page.getByText("This is not what the field takes.").waitFor()
    await page.getByLabel("Budget").fill("12.5")
    await page.getByLabel("Submissions").fill("10/60")
    // Meanwhile somebody else changes what is not touched here.
    await operator.admin.accounts.set("limited", { running_tasks: 9 })
    await press(page, "Save")
    await page.getByText("Saved.").waitFor()
    const {
      budget_micros: budget,
      create_rate: rate,
      running_tasks: running,
    } = await operator.admin.accounts.get("limited")
    assert.deepEqual([budget, rate, running], [12_500_000, { requests: 10, window_ms: 60_000 }, 9])
    await until(
      () => page.getByLabel("Tasks at once").inputValue(),
      (text) => text === "9",
    )
    await page.getByLabel("Budget").fill("")
    await press(page, "Save")
    await until(
      () => operator.admin.accounts.get("limited"),
      (account) => account.budget_micros === null,
    )
  })

  it("have keys made, which are shown once, replaced and revoked", async () => {
    await operator.admin.accounts.set("keyed", {})
    const { page, complaints } = await enter("#/accounts/keyed")
    const first = await makeKey(page)
    const { account, key_id: id, scopes } = await first.me()
    assert.deepEqual([account, scopes.includes("admin")], ["keyed", false])
    await press(page, `Replace ${id}`)
    await page.getByText("This one ends at once.").waitFor()
    await press(page, "Yes, replace")
    await page.getByText("Store it now").waitFor()
    const second = await readKey(page)
    const { key_id: next } = await second.me()
    await untilRefused(first, 401)
    await press(page, `Revoke ${next}`)
    await press(page, "Yes, revoke")
    await page.getByText("Revoked.").waitFor()
    await untilRefused(second, 401)
    // The page says so before it has read the keys again.
    await until(async () => (await page.getByRole("button", { name: /^Revoke / }).count()) === 0)
    assert.deepEqual(complaints, [])
  })

  it("are suspended after a question, and opened again", async () => {
    await operator.admin.accounts.set("paused", {})
    const { page } = await enter("#/accounts/paused")
    const client = await makeKey(page)
    await press(page, "Suspend")
    await leave(page)
    assert.equal((await operator.admin.accounts.get("paused")).suspended_at, 0)
    await press(page, "Suspend")
    await press(page, "Yes, suspend")
    await page.getByText("Every request is refused.").waitFor()
    await untilRefused(client, 403)
    await press(page, "Open again")
    await press(page, "Yes, open again")
    await page.getByRole("button", { name: "Suspend" }).waitFor()
    assert.equal((await operator.admin.accounts.get("paused")).suspended_at, 0)
  })
})
