/**
 * The published client in Chromium, as a page's own modules without a bundler, on the service's origin:
 * what it does with the network, streams and cryptography of a browser.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import type { Page } from "playwright-core"
import { toVerifierText } from "@safelight/proof"
import { proveByHand } from "../proof/prove-by-hand.ts"
import { createSigner } from "../proof/signed-tasks.ts"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import {
  openBrowser,
  skipWithoutBrowser,
  type TestBrowser,
  type WatchedPage,
} from "../support/browser.ts"
import { buildClient } from "./build-client.ts"

const PAGE = '<!doctype html><title>Client</title><link rel="icon" href="data:,">'

/** Runs in the page: `client` and all that the package exports are there. */
const SCRIPT = `
const { createClient, isApiError, verifyWebhook } = await import("/built/index.js")
const client = createClient({ url: location.origin, key: KEY })
const model = "vendor-a/v4.1/flash/text-to-image"
const fails = (work) => work.then(() => "nothing", (error) => isApiError(error) ? error.code : error.name)

const seen = []
const task = await client.run(model, { prompt: "first light" }, { onProgress: (each) => seen.push(each.progress) })
const artifact = task.artifact("image_1")
const blob = await artifact.blob()
let streamed = 0
const reader = (await artifact.stream()).getReader()
for (;;) {
  const { done, value } = await reader.read()
  if (done) break
  streamed += value.length
}
const linked = await (await fetch(await artifact.url())).blob()
const ids = []
for await (const each of client.list()) ids.push(each.task_id)
const calledOff = new AbortController()
const waiting = fails(client.get(task.task_id, { signal: calledOff.signal }))
calledOff.abort()
const sentAt = 1614265330
const webhook = await verifyWebhook({
  headers: {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": String(sentAt),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  body: '{"test": 2432232314}',
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  now: sentAt * 1000,
})
result = {
  last: seen.at(-1),
  blob: [blob.size, blob.type],
  streamed,
  linked: linked.size,
  listed: ids.includes(task.task_id),
  saved: await fails(artifact.saveTo("first-light.png")),
  calledOff: await waiting,
  refused: await fails(createClient({ url: location.origin, key: "none" }).usage()),
  redirected: await fails(createClient({ url: location.origin + "/elsewhere", key: KEY }).submit(model, {})),
  webhook: webhook.payload.test,
}
`

describe("the client in a browser", { skip: skipWithoutBrowser }, () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let browser: TestBrowser
  let watched: WatchedPage

  before(async () => {
    service = resources.use(await createInProcessService())
    service.engine.start()
    browser = resources.use(await openBrowser())
    watched = await browser.openPage()
    const { page } = watched
    await serveClient(page, service.url)
    await page.route(`${service.url}/elsewhere/**`, (route) =>
      route.fulfill({ status: 307, headers: { location: `${service.url}/v1/tasks` } }),
    )
    await page.goto(`${service.url}/page`)
  })

  after(() => resources.disposeAsync())

  it("makes a picture, downloads it each way, and is refused as elsewhere", async () => {
    const words = `(async () => { let result; const KEY = ${JSON.stringify(service.keys.whole)}
      ${SCRIPT}; return result })()`
    assert.deepEqual(await watched.page.evaluate(words), {
      last: 100,
      blob: [1_024, "image/png"],
      streamed: 1_024,
      linked: 1_024,
      listed: true,
      saved: "no_file_system",
      calledOff: "AbortError",
      refused: "invalid_api_key",
      redirected: "invalid_answer",
      webhook: 2_432_232_314,
    })
  })

  it("verifies a task's proof on a secure page, and has a code for it on another", async () => {
    const signer = createSigner()
    const proof = await proveByHand(signer, [1, 2, 3])
    const keys = [toVerifierText(signer.key)]
    const words = `(async () => {
      const { isApiError, verifyTaskProof } = await import("/built/index.js")
      const verify = (proof) => verifyTaskProof(proof, { keys: ${JSON.stringify(keys)} }).then(
        (verdict) => verdict.isProven ? verdict.events.length : [verdict.code, verdict.event],
        (error) => isApiError(error) ? error.code : String(error))
      const proof = ${JSON.stringify(proof)}
      const checkpoint = proof.checkpoint.replace(/.(?=.{8}=*\\n$)/, (digit) => digit === "A" ? "B" : "A")
      const [first, second, third] = proof.events
      const altered = { ...proof, events: [first, { ...second, at: 1 }, third] }
      return [await verify(proof), await verify({ ...proof, checkpoint }), await verify(altered)]
    })()`
    assert.deepEqual(await watched.page.evaluate(words), [3, ["forged", null], ["broken-chain", 2]])
    // Served by this test alone: there is no such host.
    const { page } = await browser.openPage()
    await serveClient(page, "http://media.example")
    await page.goto("http://media.example/page")
    assert.equal(await page.evaluate("isSecureContext"), false)
    const told = ["no_ed25519", "no_ed25519", "no_ed25519"]
    assert.deepEqual(await page.evaluate(words), told)
    await page.close()
  })

  it("asks nobody but the service", () => {
    const origins = new Set(watched.requested.map(({ origin }) => origin))
    assert.deepEqual([...origins], [service.url])
  })
})

/** An empty page, and the client as it is published. */
async function serveClient(page: Page, origin: string): Promise<void> {
  const { folder } = await buildClient()
  await page.route(`${origin}/page`, (route) =>
    route.fulfill({ contentType: "text/html", body: PAGE }),
  )
  await page.route(`${origin}/built/**`, (route) => {
    const [, path = ""] = new URL(route.request().url()).pathname.split("/built/")
    return route.fulfill({ contentType: "text/javascript", path: join(folder, path) })
  })
}
