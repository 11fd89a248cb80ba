/**
 * The door for OpenAI's programs. `openai_ratio`: images a second, each with its link, over tasks a second by
 * `POST /v1/tasks` with `Prefer: wait` and nothing after it, in turns on one server; the middle of the ratios counts.
 * Then so many callers at once whose images are never made: what each keeps in memory, and how much longer others wait
 * for `GET /v1/tasks/{id}`.
 */
import { readFile } from "node:fs/promises"
import { Agent, request } from "node:http"
import { parseArgs } from "node:util"
import autocannon, { type AutocannonRequest } from "autocannon"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { startServer } from "../child-server.ts"
import { median, percentile, report } from "../measure.ts"

interface Announcement {
  readonly url: string
  readonly key: string
}

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const CONNECTIONS = 32
const ROUNDS = values.quick ? 1 : 5
const ROUND_S = values.quick ? 1 : 3
const WAITING = values.quick ? 20 : 500
const READS = values.quick ? 50 : 3_000

const MODEL = "vendor-a/v4.1/flash/text-to-image"

await using folder = await createTemporaryFolder()
await using server = await startServer<Announcement>("openai-server", folder.path)
const { key, url } = server.announcement
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }

interface Contestant {
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const TASKS: Contestant = {
  path: "/v1/tasks",
  body: JSON.stringify({ model: MODEL, parameters: { prompt: "fog", size: "square_hd" } }),
  headers: { prefer: "wait=30" },
}

const IMAGES: Contestant = {
  path: "/openai/v1/images/generations",
  body: JSON.stringify({ model: MODEL, prompt: "fog", size: "1024x1024" }),
}

async function measureRate({ body, path, headers: more }: Contestant): Promise<number> {
  const asked: AutocannonRequest = { method: "POST", path, headers: { ...headers, ...more }, body }
  const options = { url, connections: CONNECTIONS, duration: ROUND_S, requests: [asked] }
  const { errors, non2xx, requests } = await autocannon(options)
  if (non2xx > 0 || errors > 0) throw new Error(`${path}: ${non2xx} refused, ${errors} failed`)
  return requests.average
}

const ratios: number[] = []
const rates: number[] = []
// The first round warms up.
for (let round = 0; round <= ROUNDS; round += 1) {
  const tasks = await measureRate(TASKS)
  const images = await measureRate(IMAGES)
  if (round === 0) continue
  ratios.push(images / tasks)
  rates.push(images)
}

async function residentKib(): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
}

const made = await fetch(`${url}${TASKS.path}`, { method: "POST", headers, body: TASKS.body })
const { task_id: id } = (await made.json()) as { readonly task_id: string }

async function measureReads(): Promise<number> {
  const took: number[] = []
  for (let count = 0; count < READS; count += 1) {
    const startedAt = performance.now()
    const answer = await fetch(`${url}/v1/tasks/${id}`, { headers })
    await answer.arrayBuffer()
    took.push(performance.now() - startedAt)
  }
  return percentile(took, 0.99)
}

async function countRunning(): Promise<number> {
  let [count, cursor] = [0, ""]
  for (;;) {
    const query = `status=running&limit=100${cursor && `&cursor=${cursor}`}`
    const answer = await fetch(`${url}/v1/tasks?${query}`, { headers })
    const page = (await answer.json()) as { tasks: unknown[]; next_cursor: string | null }
    count += page.tasks.length
    if (page.next_cursor === null) return count
    cursor = page.next_cursor
  }
}

await measureReads()
const readsAlone = await measureReads()
const before = await residentKib()
const agent = new Agent({ keepAlive: true })
const waiting = Array.from({ length: WAITING }, () => {
  const asking = request(`${url}${IMAGES.path}`, { method: "POST", headers, agent })
  // Each ends with the benchmark.
  asking.on("error", () => {})
  asking.end(JSON.stringify({ model: MODEL, prompt: "wait for fog" }))
  return asking
})
while ((await countRunning()) < WAITING) await new Promise((resolve) => setTimeout(resolve, 100))
const kept = (await residentKib()) - before
const readsBeside = await measureReads()
for (const asking of waiting) asking.destroy()

report({
  openai_ratio: median(ratios),
  openai_images_per_s: median(rates),
  openai_waiting_kib_each: kept / WAITING,
  openai_waiting_mib: kept / 1_024,
  openai_get_p99_ms: readsAlone,
  openai_get_p99_ratio: readsBeside / readsAlone,
})
