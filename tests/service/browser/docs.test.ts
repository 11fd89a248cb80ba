/**
 * The reference page in a browser, as a reader meets it: under its own content security policy,
 * with every operation of the document and nothing from anywhere else.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { openBrowser, skipWithoutBrowser, type WatchedPage } from "../../support/browser.ts"
import type { ApiDocument } from "../../support/openapi-document.ts"
import { createInProcessService, type InProcessService } from "../in-process-service.ts"

describe("the reference page", { skip: skipWithoutBrowser }, () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let watched: WatchedPage

  before(async () => {
    service = resources.use(await createInProcessService())
    const browser = resources.use(await openBrowser())
    watched = await browser.openPage()
    await watched.page.goto(`${service.url}/docs`)
    await watched.page.locator(".opblock").first().waitFor()
  })

  after(() => resources.disposeAsync())

  it("shows every operation of the document", async () => {
    const response = await fetch(`${service.url}/openapi.json`)
    const { paths } = (await response.json()) as ApiDocument
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const shown = await watched.page.locator(".opblock").evaluateAll((blocks) =>
      blocks.map((block) => {
        const method = block.querySelector(".opblock-summary-method")?.textContent
        const path = block.querySelector(".opblock-summary-path")?.getAttribute("data-path")
        return `${method} ${path}`
      }),
    )
    assert.deepEqual(shown.toSorted(), described.toSorted())
  })

  it("opens an operation with an example to send and the answers to expect", async () => {
    const { page } = watched
    const path = page.locator('[data-path="/v1/tasks"]')
    const operation = page.locator(".opblock-post", { has: path })
    await operation.locator(".opblock-summary-control").click()
    await operation.locator(".response").first().waitFor()
    const request = await operation.locator(".opblock-section-request-body").textContent()
    assert.match(request ?? "", /"model": "vendor-a\/v4\.1\/flash\/text-to-image"/)
    const statuses = await operation
      .locator(".response")
      .evaluateAll((answers) => answers.map((answer) => answer.getAttribute("data-code")))
    for (const status of ["202", "400", "401", "503"]) assert.ok(statuses.includes(status), status)
  })

  it("has asked nobody else, and complained of nothing", () => {
    const { requested, complaints } = watched
    assert.ok(requested.length > 3, `${requested.length} requests`)
    assert.deepEqual([...new Set(requested.map(({ origin }) => origin))], [service.url])
    assert.deepEqual(complaints, [])
  })
})
