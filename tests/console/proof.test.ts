/** A task's proof in the console: what is proved, what is not yet, and what is refused, computed in the page. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import type { TaskEvent, TaskProof } from "@safelight/client"
import { toVerifierText } from "@safelight/proof"
import type { Page } from "playwright-core"
import { createSigner } from "../proof/signed-tasks.ts"
import { skipWithoutBrowser } from "../support/browser.ts"
import { signLog } from "../support/signed-service.ts"
import { createConsoleWorld, PICTURE, type ConsoleWorld } from "./console-world.ts"

describe("a task's proof in the console", { skip: skipWithoutBrowser }, () => {
  const signer = createSigner()
  const { id: fingerprint } = signer.key
  let world: ConsoleWorld
  let task = ""

  before(async () => {
    world = await createConsoleWorld({ checkpoints: { keys: [toVerifierText(signer.key)] } })
    task = (await world.client.run(PICTURE, { prompt: "fog", size: "square" })).task_id
    await signLog(world.service.storage, signer)
  })

  after(() => world[Symbol.asyncDispose]())

  async function verify(page: Page, id = task): Promise<void> {
    await page.goto(`${world.service.url}/#/tasks/${id}`)
    await page.getByRole("button", { name: "Verify" }).press("Enter")
  }

  /** The page's status, below the heading of the proof. */
  const outcomeOf = (page: Page) => page.getByRole("region", { name: "Proof" }).getByRole("status")

  it("says in plain words what is proved, by which log and key", async () => {
    const { page, complaints } = await world.enter(`#/tasks/${task}`)
    const panel = page.getByRole("region", { name: "Proof" })
    await panel.getByText("The log of all tasks is signed each minute.").waitFor()
    await verify(page)
    const { length } = await world.client.events(task)
    const outcome = outcomeOf(page)
    await outcome.getByText(`${length} events are in the signed log of media.example/log`).waitFor()
    const text = await outcome.innerText()
    assert.match(
      text,
      new RegExp(`Events in the log\\s+${length}\\s+Signed by key\\s+${fingerprint}`),
    )
    assert.match(text, /The key is this service’s own word: it came from the same server/)
    assert.doesNotMatch(text, /the key that you gave/)
    assert.doesNotMatch(text, /not proved yet/)
    assert.deepEqual(complaints, [])
  })

  it("says what is not in it yet, and proves that later", async () => {
    const running = await world.client.submit(PICTURE, { prompt: "[studio: delay 60s] fog" })
    const { page } = await world.enter("#/tasks")
    await verify(page, running.task_id)
    await outcomeOf(page).getByText("Not signed yet.").waitFor()
    await signLog(world.service.storage, signer)
    await page.getByRole("button", { name: "Verify" }).click()
    await outcomeOf(page)
      .getByText(/in the signed log of media\.example\/log/)
      .waitFor()
    await world.client.cancel(running.task_id)
    // The page has the task's new events by itself.
    await outcomeOf(page)
      .getByText(/newest events? (is|are) not proved yet/)
      .waitFor()
  })

  async function giveKey(page: Page, key: string): Promise<void> {
    await page.getByLabel("The operator’s key").fill(key)
    await page.getByRole("button", { name: "Use this key" }).click()
  }

  it("is signed by the key that the reader has from elsewhere, which stays in the browser", async () => {
    const { page, complaints, requested } = await world.enter("#/tasks")
    await verify(page)
    const outcome = outcomeOf(page)
    await outcome.getByText(/this service’s own word/).waitFor()
    await giveKey(page, ` ${toVerifierText(signer.key)}\n`)
    await outcome.getByText("It is signed by the key that you gave.").waitFor()
    assert.doesNotMatch(await outcome.innerText(), /own word/)
    const earlier = requested.length
    await page.reload()
    await page.getByText(`Proofs are verified by the key that you gave, ${fingerprint}`).waitFor()
    await page.getByRole("button", { name: "Verify" }).click()
    await outcome.getByText("It is signed by the key that you gave.").waitFor()
    const paths = requested.slice(earlier).map(({ pathname }) => pathname)
    assert.ok(paths.some((path) => path.endsWith("/proof")))
    assert.ok(!paths.includes("/.well-known/safelight-log.json"))
    await page.getByRole("button", { name: "Forget the key" }).click()
    await outcome.getByText(/this service’s own word/).waitFor()
    assert.deepEqual(complaints, [])
  })

  it("is refused by another key of the reader’s, whatever the service says", async () => {
    const { page } = await world.enter("#/tasks")
    await verify(page)
    await outcomeOf(page)
      .getByText(/this service’s own word/)
      .waitFor()
    await giveKey(page, toVerifierText(createSigner().key))
    await outcomeOf(page).getByText("no trusted key has signed the checkpoint").waitFor()
    await page.getByRole("button", { name: "Forget the key" }).click()
    await outcomeOf(page)
      .getByText(/this service’s own word/)
      .waitFor()
  })

  it("takes nothing for a key that is none", async () => {
    const { page } = await world.enter("#/tasks")
    await verify(page)
    const key = toVerifierText(signer.key)
    for (const wrong of ["nonsense", key.slice(0, -1), key.replace(fingerprint, "00000000")]) {
      await giveKey(page, wrong)
      await page.getByRole("alert").getByText("This is no public key of a log").waitFor()
    }
    await outcomeOf(page)
      .getByText(/this service’s own word/)
      .waitFor()
  })

  const changes: Readonly<Record<string, readonly [(proof: TaskProof) => unknown, RegExp]>> = {
    "an event that was altered": [
      ({ events, ...proof }) => {
        const [first, second, ...rest] = events
        return { ...proof, events: [first, { ...second, at: 5 }, ...rest] }
      },
      /This is not proved: event 2 is not the one that was written\./,
    ],
    "another signature": [
      ({ checkpoint, ...proof }) => ({
        ...proof,
        checkpoint: checkpoint.replace(/.(?=.{8}=*\n$)/, "~"),
      }),
      /This is not proved: a line of a signature is none\./,
    ],
  }
  for (const [title, [change, words]] of Object.entries(changes)) {
    it(`names what is wrong: ${title}`, async () => {
      const { page } = await world.enter("#/tasks")
      await page.route(`**/v1/tasks/${task}/proof`, async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: change((await response.json()) as TaskProof) })
      })
      await verify(page)
      await outcomeOf(page).getByText(words).waitFor()
    })
  }

  it("names an event that the service shows otherwise than it was signed", async () => {
    const { page } = await world.enter("#/tasks")
    await page.route(`**/v1/tasks/${task}/events`, async (route) => {
      const response = await route.fetch()
      const log = (await response.json()) as { events: TaskEvent[] }
      const events = log.events.map((event) =>
        event.type === "succeeded" ? { ...event, charge_micros: 1 } : event,
      )
      await route.fulfill({ response, json: { ...log, events } })
    })
    await verify(page)
    const { version } = (await world.client.events(task)).at(-1) ?? {}
    await outcomeOf(page)
      .getByText(`This is not proved: event ${version} above is not as it was signed.`)
      .waitFor()
  })

  it("is refused of a service that has another key than the one that signed", async () => {
    const { page } = await world.enter("#/tasks")
    await page.route("**/.well-known/safelight-log.json", (route) =>
      route.fulfill({ json: { origin: "x", keys: [toVerifierText(createSigner().key)] } }),
    )
    await verify(page)
    await outcomeOf(page).getByText("no trusted key has signed the checkpoint").waitFor()
  })
})

describe("a service that signs nothing", { skip: skipWithoutBrowser }, () => {
  it("has no proof in its console", async () => {
    await using world = await createConsoleWorld()
    const { task_id: task } = await world.client.run(PICTURE, { prompt: "fog", size: "square" })
    const { page, complaints, requested } = await world.enter(`#/tasks/${task}`)
    await page.getByRole("heading", { name: "Events" }).waitFor()
    await page.getByRole("img", { name: "image_1" }).waitFor()
    assert.ok(requested.some(({ pathname }) => pathname === "/v1/me"))
    assert.equal(await page.getByRole("region", { name: "Proof" }).count(), 0)
    assert.deepEqual(complaints, [])
  })
})
