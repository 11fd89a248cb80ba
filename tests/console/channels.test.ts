/** The channels in the console: "pause a channel", drain it, resume it, check it; and who doesn't see them. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createClient, type Client } from "@safelight/client"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("channels in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let operator: Client

  before(async () => {
    world = await createConsoleWorld()
    operator = createClient({ url: world.service.url, key: world.operatorKey })
    await world.client.run(PICTURE, { prompt: "a lighthouse", size: "square" })
  })

  after(() => world[Symbol.asyncDispose]())

  async function readState(): Promise<string | undefined> {
    return (await operator.admin.channels()).find(({ name }) => name === "studio")?.state
  }

  it("are shown with what they have and what came of their tasks", async () => {
    const { page, complaints } = await world.enter("#/channels", { isOperator: true })
    const studio = page.getByRole("region", { name: "studio", exact: true })
    await studio.getByText("Running").waitFor()
    await studio.getByText(/^0 of \d+$/).waitFor()
    const charged = studio.locator("div", { has: page.locator("dt", { hasText: "Charged" }) })
    await charged.getByText("0.01").last().waitFor()
    await studio.getByRole("img", { name: /succeeded, failed and were deferred/ }).waitFor()
    await studio.getByText("By hour, as a table").click()
    const table = page.getByRole("region", { name: "The hours of studio" })
    assert.equal(await table.locator("tbody tr").count(), 24)
    // The newest hour is first; it may have begun since the task ended.
    const hours = await table.locator("tbody td:nth-child(2)").allTextContents()
    assert.match(hours.join(""), /^0?10+$/)
    assert.deepEqual(complaints, [])
  })

  it("pause after a question, by keyboard, and are resumed", async () => {
    const { page } = await world.enter("#/tasks", { isOperator: true })
    await page.getByRole("link", { name: "Channels" }).click()
    await press(page, "Pause")
    await page.getByText("No other channel that runs serves").waitFor()
    await page.keyboard.press("Escape")
    // A closed dialog has no role any more, but the page takes it away only at its `close` event.
    await page.locator("dialog").waitFor({ state: "detached" })
    assert.equal(await readState(), "running")
    await press(page, "Pause")
    await press(page, "Pause it")
    await page.getByText("studio is paused.").waitFor()
    await page
      .getByRole("region", { name: "studio", exact: true })
      .getByText("Paused")
      .first()
      .waitFor()
    assert.equal(await readState(), "paused")
    await press(page, "Resume")
    await press(page, "Resume it")
    await page.getByText("studio is running again.").waitFor()
    assert.equal(await readState(), "running")
  })

  it("say when they are drained", async () => {
    const { page } = await world.enter("#/channels", { isOperator: true })
    const task = await world.client.submit(PICTURE, { prompt: "[studio: delay 60s] fog" })
    await page.getByText(/^1 of \d+$/).waitFor()
    await press(page, "Drain")
    await page.getByText("It has 1 task now.").waitFor()
    await press(page, "Drain it")
    await page.getByText("studio is draining.").waitFor()
    await page.getByText("Draining", { exact: true }).waitFor()
    assert.equal(await readState(), "draining")
    await until(
      () => world.client.cancel(task),
      ({ outcome }) => outcome !== "unknown",
    )
    await page.getByText("studio has nothing left in flight.").waitFor()
    await operator.admin.resumeChannel("studio")
  })

  it("show what a check found", async () => {
    const { page } = await world.enter("#/channels", { isOperator: true })
    await press(page, "Check")
    await page.getByText("Checked: nothing is wrong").waitFor()
    await page.getByText("It needs no key.").waitFor()
    const check = { name: "studio", type: "studio", key: "refused", notes: ["It is slow."] }
    const body = JSON.stringify({ ...check, problems: ["The provider <b>refuses</b> the key."] })
    await page.route("**/studio/check", (route) =>
      route.fulfill({ status: 200, contentType: "application/json", body }),
    )
    await press(page, "Check")
    await page.getByText("Checked: something is wrong").waitFor()
    await page.getByText("The provider <b>refuses</b> the key.").waitFor()
    await page.getByText("It is slow.").waitFor()
  })

  it("say what they need their operator for", async () => {
    const { page } = await world.enter("#/tasks", { isOperator: true })
    const money = { reason: "provider_out_of_money", words: "<b>Exhausted</b> balance", add: null }
    const add = '"outputHosts": ["files.example"]'
    const host = { reason: "output_host_refused", words: "files.example", add }
    const key = { reason: "provider_answered_401", words: "", add: null }
    await page.route("**/v1/admin/channels", async (route) => {
      const response = await route.fetch()
      const list = (await response.json()) as { readonly channels: readonly object[] }
      const troubles = [money, host, key].map((trouble) => ({ ...trouble, since: 1 }))
      const channels = list.channels.map((channel) => ({ ...channel, troubles }))
      await route.fulfill({ response, json: { channels } })
    })
    await page.getByRole("link", { name: "Channels" }).click()
    const studio = page.getByRole("region", { name: "studio", exact: true })
    await studio.getByText("Its account has no money: <b>Exhausted</b> balance").waitFor()
    await studio.getByText("Its outputs lie at files.example, which it may not ask.").waitFor()
    await studio.getByText(add, { exact: true }).waitFor()
    await studio.getByText("It is turned away (provider_answered_401).").waitFor()
  })

  it("say what went wrong, and are tried again", async () => {
    const { page } = await world.enter("#/tasks", { isOperator: true })
    const error = {
      message: "The key lacks admin.",
      code: "insufficient_scope",
      type: "permission_error",
    }
    await page.route("**/v1/admin/channels", (route) =>
      route.fulfill({
        status: 403,
        contentType: "application/json",
        body: JSON.stringify({ error }),
      }),
    )
    await page.getByRole("link", { name: "Channels" }).click()
    await page.getByRole("alert").getByText("The key lacks admin.").waitFor()
    await page.unroute("**/v1/admin/channels")
    await press(page, "Try again")
    await page.getByRole("region", { name: "studio", exact: true }).waitFor()
  })

  it("are shown as soon as the service tells whose key it is, although it could not at first", async () => {
    const { page } = await world.enter("#/nothing", { isOperator: true })
    const error = { message: "No.", code: "insufficient_scope", type: "permission_error" }
    const body = JSON.stringify({ error })
    await page.route(
      "**/v1/me",
      (route) => route.fulfill({ status: 403, contentType: "application/json", body }),
      { times: 1 },
    )
    const refused = page.waitForResponse(
      (response) => response.url().endsWith("/v1/me") && response.status() === 403,
    )
    await page.goto(`${world.service.url}/?again#/channels`)
    await refused
    await page.getByRole("region", { name: "studio", exact: true }).waitFor()
  })

  it("are neither named nor asked for with a key that is no operator's", async () => {
    const { page, requested } = await world.enter("#/channels")
    await page.getByRole("heading", { name: "This page is for operators" }).waitFor()
    assert.equal(await page.getByRole("link", { name: "Channels" }).count(), 0)
    assert.deepEqual(
      requested.filter(({ pathname }) => pathname.startsWith("/v1/admin")),
      [],
    )
  })
})

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).focus()
  await page.keyboard.press("Enter")
}
