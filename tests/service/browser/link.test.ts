/**
 * Private links in a browser, on a page of another site that isolates itself: what a customer's own
 * application shows its users. The players send no key and know nothing of the service but a link.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, describe, it } from "node:test"
import { createFirstKey } from "@safelight/access"
import { createService, loadConfiguration, type Service } from "safelight"
import {
  openBrowser,
  skipWithoutBrowser,
  type TestBrowser,
  type WatchedPage,
} from "../../support/browser.ts"
import { createCheckedFetch } from "../../support/openapi-response.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const PICTURE = { model: "vendor-a/v4.1/flash/text-to-image", key: "image_1" } as const
const VIDEO = { model: "vendor-c/video-2.5/reference-to-video", key: "video" } as const

/** Paths of the artifacts, without a link's token. */
interface Made {
  readonly video: string
  readonly image: string
}

interface Outcome {
  readonly video: string
  readonly image: string
}

/** The page's own script: each function is called by name from the tests. */
const SCRIPT = `
const links = JSON.parse(document.querySelector("#links").textContent)
function load(name, event) {
  const element = document.createElement(name)
  const loaded = new Promise((resolve) => {
    element.addEventListener(event, () => resolve(event))
    element.addEventListener("error", () => resolve("error"))
  })
  document.body.append(element)
  return [element, loaded]
}
const [video, videoLoaded] = load("video", "loadeddata")
const [image, imageLoaded] = load("img", "load")
video.muted = true
video.src = links.video
image.src = links.image
async function settle() {
  return { video: await videoLoaded, image: await imageLoaded }
}
async function play() {
  await video.play()
  while (video.currentTime < 0.5) await new Promise((resolve) => requestAnimationFrame(resolve))
  video.pause()
  return video.webkitAudioDecodedByteCount > 0
}
function seek(seconds) {
  return new Promise((resolve) => {
    video.addEventListener("seeked", () => resolve(video.currentTime), { once: true })
    video.currentTime = seconds
  })
}
async function readPart() {
  const response = await fetch(links.video, { headers: { range: "bytes=4-7" } })
  return [response.status, response.headers.get("content-range"), await response.text()]
}
`

describe("a private link on a page of another site", { skip: skipWithoutBrowser }, () => {
  const resources = new AsyncDisposableStack()
  let service: Service
  let call: (path: string, init?: RequestInit) => Promise<Response>
  let made: Made
  let browser: TestBrowser
  let elsewhere: string
  let links: Made

  before(async () => {
    browser = resources.use(await openBrowser())
    const folder = resources.use(await createTemporaryFolder())
    const flags = { data: folder.path, port: "0" }
    const configuration = await loadConfiguration({ flags, environment: {}, folder: folder.path })
    service = await createService({ configuration })
    resources.defer(() => service.stop())
    const created = await createFirstKey(service.storage, Date.now())
    const headers = { authorization: `Bearer ${created?.key}`, "content-type": "application/json" }
    const checkedFetch = createCheckedFetch(fetch)
    call = (path, init = {}) => checkedFetch(`${service.url}${path}`, { headers, ...init })
    made = {
      video: await make(VIDEO, { resolution: "480p", duration: 4, generate_audio: true }),
      image: await make(PICTURE, { prompt: "a lighthouse", size: "square" }),
    }
    links = { video: await makeLink(made.video), image: await makeLink(made.image) }
    elsewhere = await serveElsewhere()
  })

  after(() => resources.disposeAsync())

  /** Resolves to the artifact's path. */
  async function make(what: typeof PICTURE | typeof VIDEO, parameters: object): Promise<string> {
    const body = JSON.stringify({ model: what.model, parameters })
    const response = await call("/v1/tasks", { method: "POST", body })
    assert.equal(response.status, 202)
    const { task_id: id } = (await response.json()) as { task_id: string }
    const task = await service.engine.finished(id)
    assert.equal(task?.state, "succeeded.available")
    return `/v1/tasks/${id}/artifacts/${what.key}`
  }

  async function makeLink(artifact: string): Promise<string> {
    const response = await call(`${artifact}/links`, { method: "POST" })
    assert.equal(response.status, 201)
    return ((await response.json()) as { url: string }).url
  }

  /** Another site, and one that takes nothing into its pages but what says that it may. */
  async function serveElsewhere(): Promise<string> {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8")
      response.setHeader("cross-origin-embedder-policy", "require-corp")
      response.end(
        `<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,"><body>` +
          `<script type="application/json" id="links">${JSON.stringify(links)}</script>` +
          `<script>${SCRIPT}</script>`,
      )
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    resources.defer(() => server.closeAllConnections())
    resources.defer(() => void server.close())
    // A name of its own: ports alone do not make another site.
    return `http://localhost:${(server.address() as AddressInfo).port}/`
  }

  /** A page, and the status of each answer that the service gave it. */
  async function open(): Promise<WatchedPage & { readonly statuses: readonly number[] }> {
    const watched = await browser.openPage()
    const statuses: number[] = []
    watched.page.on("response", (response) => {
      if (response.url().startsWith(service.url)) statuses.push(response.status())
    })
    await watched.page.goto(elsewhere)
    return { ...watched, statuses }
  }

  it("shows the image, plays the video with its sound and seeks in it", async () => {
    const { page, statuses, complaints } = await open()
    const loaded = await page.evaluate<Outcome>("settle()")
    assert.deepEqual(loaded, { video: "loadeddata", image: "load" })
    const sizes = "[video.videoWidth, video.videoHeight, Math.round(video.duration)]"
    assert.deepEqual(await page.evaluate(sizes), [854, 480, 4])
    assert.deepEqual(await page.evaluate("[image.naturalWidth, image.naturalHeight]"), [512, 512])
    assert.equal(await page.evaluate("play()"), true, "no sound was decoded")
    assert.equal(await page.evaluate("seek(3)"), 3)
    assert.ok(statuses.includes(206), statuses.join())
    assert.deepEqual(complaints, [])
  })

  it("lets the page's own script read a part of it, and what part that is", async () => {
    const { page, complaints } = await open()
    const [status, range, text] = await page.evaluate<[number, string, string]>("readPart()")
    assert.equal(status, 206)
    assert.match(range, /^bytes 4-7\/\d+$/)
    assert.equal(text, "ftyp")
    assert.deepEqual(complaints, [])
  })

  it("opens nothing any more once it is revoked, the browser's own copy aside", async () => {
    const { page } = await open()
    await page.evaluate<Outcome>("settle()")
    for (const artifact of [made.video, made.image]) {
      const response = await call(`${artifact}/links`, { method: "DELETE" })
      assert.equal(response.status, 204)
    }
    const session = await page.context().newCDPSession(page)
    await session.send("Network.enable")
    await session.send("Network.setCacheDisabled", { cacheDisabled: true })
    await page.reload()
    const loaded = await page.evaluate<Outcome>("settle()")
    assert.deepEqual(loaded, { video: "error", image: "error" })
    const [status] = await page.evaluate<[number]>("readPart()")
    assert.equal(status, 404)
  })
})
