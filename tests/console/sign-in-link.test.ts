/** The one-time link of a first start: it signs in, leaves no trace, and works once. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser, type WatchedPage } from "../support/browser.ts"
import { createConsoleWorld, type ConsoleWorld } from "./console-world.ts"

describe("a link that signs in to the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let account: string

  before(async () => {
    world = await createConsoleWorld()
    account = (await world.client.me()).account
  })

  after(() => world[Symbol.asyncDispose]())

  /** A page that begins at the link, as a browser that is handed it does. */
  async function openLink(token: string): Promise<WatchedPage> {
    const watched = await world.open()
    await watched.page.goto("about:blank")
    await watched.page.goto(`${world.service.url}/#/sign-in/${token}`)
    return watched
  }

  it("shows the pages, and leaves its token neither in the address nor in storage", async () => {
    const token = await world.service.signIn.issue(account)
    const { page, complaints, requested } = await openLink(token)
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
    assert.equal(page.url().includes(token), false)
    const stored = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"
    assert.deepEqual(JSON.parse(await page.evaluate<string>(stored)), [{}, {}, ""])
    assert.equal(
      requested.some(({ pathname, search }) => (pathname + search).includes(token)),
      false,
    )
    assert.deepEqual(complaints, [])
  })

  it("signs in a page that is open already", async () => {
    const { page } = await world.open()
    await page.getByLabel("API key").waitFor()
    const token = await world.service.signIn.issue(account)
    await page.goto(`${world.service.url}/#/sign-in/${token}`)
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
  })

  it("says that it works once", async () => {
    const token = await world.service.signIn.issue(account)
    const first = await openLink(token)
    await first.page.getByRole("navigation", { name: "Pages" }).waitFor()
    const { page } = await openLink(token)
    await page.getByText("This link no longer signs in").waitFor()
    await page.getByLabel("API key").waitFor()
    assert.equal(page.url().includes(token), false)
  })
})
