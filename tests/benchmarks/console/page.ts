/**
 * What a reader of the console feels, in Chromium without a graphics processor, on the machine that also serves it:
 *
 * - `first_load_kb`: what the first page takes over the wire, compressed, nothing kept from before.
 * - `interactive_ms`: from the call of the address to the first row of the tasks, a median of cold loads.
 * - `frame_p99_ms`, `frame_max_ms`, `frames_over_50ms`: the time between frames while 200 events a second change a
 *   table of 10,000 rows, once at rest and once (`scrolled_…`) while the reader scrolls through it.
 * - `heap_start_mb`, `heap_end_mb`: what the page holds after its garbage is collected, before and after as many
 *   events as an hour has at that rate, told faster, and heard to the last; a tenth of them came before the first. `nodes_start`, `nodes_end`: the nodes of
 *   its documents.
 */
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import type { CDPSession, Page } from "playwright-core"
import { openBrowser } from "../../support/browser.ts"
import { until } from "../../support/until.ts"
import { startServer } from "../child-server.ts"
import { median, percentile, report } from "../measure.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const ROWS = values.quick ? 500 : 10_000
const LOADS = values.quick ? 1 : 5
const PER_S = 200
const WATCHED_S = values.quick ? 1 : 15
const HOUR_EVENTS = values.quick ? 2_000 : PER_S * 3_600
/** As fast as a page on two processors, one of which tells it, keeps up with. */
const HOUR_PER_S = 4_000

interface Served {
  readonly url: string
  readonly key: string
}

await using server = await startServer<Served>("console-server", String(ROWS))
const { url, key } = server.announcement
await using browser = await openBrowser()

async function openTasks(): Promise<Page> {
  const { page } = await browser.openPage()
  await page.addInitScript((kept) => sessionStorage.setItem("safelight-key", kept), key)
  await page.addInitScript(`addEventListener("DOMContentLoaded", () => {
    new MutationObserver((_, observer) => {
      if (document.querySelector("[data-row] a") === null) return
      window.interactiveMs = performance.now()
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })`)
  await page.goto(`${url}/#/tasks`)
  return page
}

interface Load {
  readonly ms: number
  readonly kb: number
}

async function measureLoad(): Promise<Load> {
  const page = await openTasks()
  const session = await page.context().newCDPSession(page)
  await session.send("Network.enable")
  await session.send("Network.setCacheDisabled", { cacheDisabled: true })
  await page.reload()
  await page.locator("[data-row] a").first().waitFor()
  const load = (await page.evaluate(`({
    ms: window.interactiveMs,
    kb: performance.getEntries()
      .filter(({ name, entryType }) => entryType === "navigation" || name.includes("/console/"))
      .reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0) / 1_000,
  })`)) as Load
  await page.close()
  return load
}

/** The milliseconds between frames while `work` is done. */
async function watchFrames(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`{
    window.frames = []
    window.isWatched = true
    let before = performance.now()
    const look = (now) => {
      window.frames.push(now - before)
      before = now
      if (window.isWatched) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }`)
  await work()
  // The first began before the watching.
  return (await page.evaluate(`(window.isWatched = false, window.frames.slice(1))`)) as number[]
}

function setRate(perS: number): void {
  server.process.send({ perS })
}

interface Told {
  readonly told: number
  readonly newest: string
}

async function readTold(): Promise<Told> {
  server.process.send("told")
  const [told] = (await once(server.process, "message")) as [Told]
  return told
}

interface Held {
  readonly heapMb: number
  readonly nodes: number
}

async function readHeld(session: CDPSession): Promise<Held> {
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = await session.send("Runtime.getHeapUsage")
  const { nodes } = await session.send("Memory.getDOMCounters")
  return { heapMb: usedSize / 1_000_000, nodes }
}

/** What the page holds once it has heard as many more events, to the last. */
async function hearMore(page: Page, events: number): Promise<Held> {
  const { told: from } = await readTold()
  setRate(HOUR_PER_S)
  while ((await readTold()).told < from + events) await setTimeout(250)
  setRate(0)
  const { newest } = await readTold()
  await page.locator("[data-row='0']", { hasText: newest }).waitFor()
  return await readHeld(await page.context().newCDPSession(page))
}

const loads: Load[] = []
for (let count = 0; count < LOADS; count += 1) loads.push(await measureLoad())

const page = await openTasks()
const rows = page.getByRole("table", { name: "Tasks" })
await until(async () => {
  await page.evaluate("scrollTo(0, document.body.scrollHeight)")
  return Number(await rows.getAttribute("aria-rowcount")) > ROWS
})
await page.evaluate("scrollTo(0, 0)")

setRate(PER_S)
await setTimeout(1_000)
const resting = await watchFrames(page, () => setTimeout(WATCHED_S * 1_000))
const scrolling = await watchFrames(page, async () => {
  await page.mouse.move(600, 500)
  for (let step = 0; step < WATCHED_S * 20; step += 1) {
    await page.mouse.wheel(0, 400)
    await setTimeout(50)
  }
})
await page.evaluate("scrollTo(0, 0)")

// By then each row has been replaced by a newer one.
const start = await hearMore(page, HOUR_EVENTS / 10)
const end = await hearMore(page, HOUR_EVENTS)

report({
  first_load_kb: median(loads.map(({ kb }) => kb)),
  interactive_ms: median(loads.map(({ ms }) => ms)),
  frame_p99_ms: percentile(resting, 0.99),
  frame_max_ms: Math.max(...resting),
  frames_over_50ms: resting.filter((ms) => ms > 50).length,
  scrolled_frame_p99_ms: percentile(scrolling, 0.99),
  scrolled_frame_max_ms: Math.max(...scrolling),
  scrolled_frames_over_50ms: scrolling.filter((ms) => ms > 50).length,
  heap_start_mb: start.heapMb,
  heap_end_mb: end.heapMb,
  nodes_start: start.nodes,
  nodes_end: end.nodes,
})
