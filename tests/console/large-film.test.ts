/**
 * A large film is shown by a private link. The studio makes none that large in a test's time, so the film's bytes are
 * made longer on their way to the page; the link, and what it answers, are the service's own.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { after, before, describe, it } from "node:test"
import type { Page } from "playwright-core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { createConsoleWorld, FILM, seekFilm, type ConsoleWorld } from "./console-world.ts"

const LARGE = Buffer.alloc(17 * 2 ** 20)
const DIGEST = createHash("sha256").update(LARGE).digest("base64")

describe("a film in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let film: string

  before(async () => {
    world = await createConsoleWorld()
    const parameters = { prompt: "waves", duration: 4, resolution: "480p" } as const
    film = (await world.client.run(FILM, parameters)).task_id
  })

  after(() => world[Symbol.asyncDispose]())

  /** The film's page, opened behind `prepare`; resolves to the address that its film is shown from. */
  async function showFilm(prepare: (page: Page) => Promise<void>): Promise<[Page, string]> {
    const { page } = await world.enter("#/tasks")
    await prepare(page)
    await page.goto(`${world.service.url}/#/tasks/${film}`)
    const video = page.locator("video")
    await video.waitFor()
    return [page, (await video.getAttribute("src")) ?? ""]
  }

  const makeLarge = (page: Page): Promise<unknown> =>
    page.route("**/artifacts/video/content", (route) =>
      route.fulfill({
        body: LARGE,
        contentType: "video/mp4",
        headers: { etag: '"large"', "repr-digest": `sha-256=:${DIGEST}:` },
      }),
    )

  it("is shown from memory, its digest checked", async () => {
    const [, address] = await showFilm(async () => {})
    assert.match(address, /^blob:/)
  })

  it("is shown by a private link if it is large, and seeks there", async () => {
    const [page, address] = await showFilm(async (opened) => void (await makeLarge(opened)))
    assert.ok(address.startsWith(`${world.service.url}/v1/tasks/${film}/`))
    assert.match(address, /[?&]access=/)
    assert.deepEqual(await seekFilm(page), [4, 3])
  })

  it("is shown from memory, however large, if the key may not make links", async () => {
    const [, address] = await showFilm(async (page) => {
      await makeLarge(page)
      await page.route("**/artifacts/video/links**", (route) =>
        route.fulfill({
          status: 403,
          json: {
            error: { message: "No.", type: "permission_error", code: "insufficient_scope" },
          },
        }),
      )
    })
    assert.match(address, /^blob:/)
  })
})
