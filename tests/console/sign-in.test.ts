/** Signing in and out, and what a page does when its key or the service is gone. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, type ConsoleWorld } from "./console-world.ts"

describe("signing in to the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld()
  })

  after(() => world[Symbol.asyncDispose]())

  it("takes a key, shows the pages, and keeps the key nowhere", async () => {
    const { page, complaints, requested } = await world.open()
    await page.getByLabel("API key").fill(world.key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
    const stored = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"
    assert.equal((await page.evaluate<string>(stored)).includes(world.key), false)
    assert.equal(page.url().includes(world.key), false)
    assert.deepEqual(complaints, [])
    const strangers = requested.filter(({ origin }) => origin !== new URL(world.service.url).origin)
    assert.deepEqual(strangers, [])
    await page.reload()
    await page.getByLabel("API key").waitFor()
  })

  for (const [scopes, first, titles] of [
    [["admin"], "All tasks", ["All tasks", "Accounts", "Channels", "Spending", "System"]],
    [["tasks:read", "artifacts:read"], "Tasks", ["Tasks", "Gallery", "Models", "Usage"]],
  ] as const) {
    it(`shows the pages for ${scopes.join(", ")}, and begins at the first`, async () => {
      const { page, complaints } = await world.enter("", { key: await world.makeKey(...scopes) })
      await page.getByRole("heading", { name: first, exact: true, level: 1 }).waitFor()
      const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link")
      assert.deepEqual(await links.allTextContents(), titles)
      assert.deepEqual(complaints, [])
    })
  }

  it("names the scope that a page needs", async () => {
    const { page } = await world.enter("#/webhooks", { key: await world.makeKey("tasks:read") })
    await page.getByRole("heading", { name: "This key can't use this page" }).waitFor()
    await page.getByText("webhooks:write").waitFor()
  })

  it("keeps the key for the tab if asked to, and forgets it at signing out", async () => {
    const { page } = await world.open()
    await page.getByLabel("API key").fill(world.key)
    await page.getByLabel("Stay signed in").check()
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
    await page.reload()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API key").waitFor()
    assert.equal(await page.evaluate("sessionStorage.length"), 0)
  })

  it("says what is wrong with a key", async () => {
    const { page } = await world.open()
    for (const [key, words] of [
      ["two words", /not an API key/],
      ["sk_nobody", /does not accept this key/],
    ] as const) {
      await page.getByLabel("API key").fill(key)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("alert").filter({ hasText: words }).waitFor()
    }
  })

  it("goes back to signing in when the key is revoked, and says why", async () => {
    const { page } = await world.enter("#/tasks")
    await page.getByRole("heading", { name: "Tasks" }).waitFor()
    await page.route("**/v1/tasks?**", (route) =>
      route.fulfill({
        status: 401,
        json: {
          error: {
            code: "api_key_revoked",
            type: "authentication_error",
            message: "It was revoked.",
          },
        },
      }),
    )
    await page.getByLabel("Status").selectOption("failed")
    await page.getByText("Your key was revoked.").waitFor()
    assert.equal(await page.evaluate("sessionStorage.length"), 0)
  })

  it("says that the service can't be reached, and goes on when it is back", async () => {
    const { page } = await world.enter("#/tasks")
    await page.getByText("No tasks yet").waitFor()
    let isAway = true
    await page.route("**/v1/**", (route) => (isAway ? route.abort() : route.continue()))
    await page.getByLabel("Status").selectOption("failed")
    await page.getByText("The service can’t be reached. What you see may be old").waitFor()
    isAway = false
    await page.getByText("No task matches").waitFor()
    await until(async () => (await page.getByText("What you see may be old").count()) === 0)
  })

  it("chooses the system's theme, and the reader's above it", async () => {
    const { page } = await world.open({ colorScheme: "light" })
    const theme = (): Promise<string> => page.evaluate("document.documentElement.dataset.theme")
    assert.equal(await theme(), "light")
    await page.getByLabel("API key").fill(world.key)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("button", { name: "Dark theme" }).click()
    assert.equal(await theme(), "dark")
    await page.reload()
    assert.equal(await theme(), "dark")
  })
})
