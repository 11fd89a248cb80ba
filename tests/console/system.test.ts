/** The system in the console, and the audit there: how far it is, what it found, and that it can be cancelled. */
import assert from "node:assert/strict"
import { hostname } from "node:os"
import { after, before, describe, it, type TestContext } from "node:test"
import { createClient, isApiError, type Client } from "@safelight/client"
import type { Storage } from "@safelight/core"
import { skipWithoutBrowser } from "../support/browser.ts"
import { until } from "../support/until.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("the system in the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld

  before(async () => {
    world = await createConsoleWorld()
    for (const prompt of ["a lighthouse", "fog"]) {
      await world.client.run(PICTURE, { prompt, size: "square" })
    }
  })

  after(() => world[Symbol.asyncDispose]())

  const enter = () => world.enter("#/system", { isOperator: true })

  /** Resolves once the service begins another audit, which is then ended: one runs at a time. */
  async function untilFree(): Promise<void> {
    const operator = createClient({ url: world.service.url, key: world.operatorKey })
    await until(
      () => beginAudit(operator),
      (beginning) => beginning === "progress",
    )
  }

  it("is shown: queue, process, database and nodes", async () => {
    const { page, complaints } = await enter()
    await page.getByText("Never begun").waitFor()
    await page.getByText(process.version).waitFor()
    await page.getByText(/^SQLite 3\./).waitFor()
    const nodes = page.getByRole("region", { name: "Nodes and their leases" })
    await nodes.getByRole("rowheader", { name: hostname() }).waitFor()
    const plot = page.getByRole("img", { name: /Tasks that wait and tasks that are worked on/ })
    await plot.waitFor()
    assert.deepEqual(complaints, [])
  })

  it("is proved: the chains, and that the log makes the bill", async () => {
    const { page } = await enter()
    await page.getByRole("button", { name: "Verify" }).click()
    const audit = page.getByRole("region", { name: "Audit" })
    await audit.getByText("Every chain of events holds.").waitFor()
    await page.getByRole("button", { name: "Replay" }).click()
    await audit.getByText("The log makes the tasks and the bill").last().waitFor()
    await audit.locator("div", { hasText: /^The log charges0.02$/ }).waitFor()
    await audit.locator("div", { hasText: /^Tasks2$/ }).waitFor()
  })

  it("tells how far an audit is, which goes on behind another page and can be cancelled", async (t) => {
    const held = holdScans(t, world.service.storage)
    const { page } = await enter()
    await page.getByRole("button", { name: "Verify" }).click()
    const bar = page.getByRole("progressbar", { name: "Verifying the log" })
    await page.getByText("Verifying: 1 of about 2 tasks").waitFor()
    assert.deepEqual([await bar.getAttribute("value"), await bar.getAttribute("max")], ["1", "2"])
    await page.getByRole("link", { name: "Channels" }).click()
    await page.getByRole("heading", { name: "Channels" }).waitFor()
    await page.getByRole("link", { name: "System" }).click()
    await page.getByText("Verifying: 1 of about 2 tasks").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("Cancelled after 1 task. That proves nothing.").waitFor()
    await untilFree()
    held.release()
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByText("Every chain of events holds.").waitFor()
  })

  it("ends the audit when the reader signs out", async (t) => {
    holdScans(t, world.service.storage)
    const { page } = await enter()
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByText("Verifying: 1 of about 2 tasks").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await untilFree()
  })

  it("shows what an audit found, as text", async () => {
    const { page } = await enter()
    const words = "the hash is <b>other</b>"
    const finding = { kind: "hash-differs", task_id: "t1", version: 3, words }
    const sums = { tasks: 7, events: 21, finding_count: 150 }
    const report = { ...sums, outcome: "differs", foreign_rows: 0, charge_micros: 0 }
    const data = JSON.stringify({ ...report, findings: [finding] })
    await page.route("**/v1/admin/audits", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: `event: report\ndata: ${data}\n\n` }),
    )
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByText("Differs", { exact: true }).waitFor()
    const row = page.getByRole("region", { name: "Findings" }).getByRole("row").last()
    assert.equal(await row.textContent(), `t13hash-differs${words}`)
    await page.getByText("1 of 150 findings are shown.").waitFor()
  })

  it("says that an audit without a report failed, and tries again", async () => {
    const { page } = await enter()
    const body = 'event: progress\ndata: {"tasks":1,"events":2,"finding_count":0}\n\n'
    await page.route("**/v1/admin/audits", (route) =>
      route.fulfill({ contentType: "text/event-stream", body }),
    )
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByRole("alert").getByText("the audit ended without a report").waitFor()
    await page.unroute("**/v1/admin/audits")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("Every chain of events holds.").waitFor()
  })
})

/** Resolves to the first message's type, or to the code of the refusal. */
async function beginAudit(operator: Client): Promise<string | undefined> {
  try {
    for await (const { type } of operator.admin.audit("verify")) return type
  } catch (error) {
    if (isApiError(error)) return error.code
    throw error
  }
  return undefined
}

/** Has audits read one task a page, and stops them after the first until they are released. */
function holdScans(t: TestContext, storage: Storage): { readonly release: () => void } {
  const scan = storage.scan.bind(storage)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const held: Storage["scan"] = async ({ after: last }) => {
    if (last !== "") await released
    return scan({ after: last, limit: 1 })
  }
  const original = storage.scan
  Object.assign(storage, { scan: held })
  t.after(() => {
    release()
    Object.assign(storage, { scan: original })
  })
  return { release }
}
