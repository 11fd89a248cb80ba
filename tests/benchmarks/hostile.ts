/**
 * `other_account_slowdown`: how much longer one account's picture takes, from its submission to its
 * end, while another account does what it can to stop everything: media that fill memory or are read
 * for ever, long prompts, directives, a server that drips, bodies that stand still. Beside it
 * `rss_mb_under_attack`, the most that the serving process used meanwhile, and
 * `rss_mb_workers_under_attack`, the most that its renderers used together. The attacks end with the
 * pictures that are measured, and after `MOST_ROUNDS` in any case.
 */
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import {
  createSampleTableBomb,
  createTextBomb,
  LOOPING_WEBM,
} from "../adapters/channel-studio/hostile-media.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer } from "./child-server.ts"
import { median, report } from "./measure.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VIDEO = "vendor-c/video-2.5/reference-to-video"
const PICTURES = 5
const MOST_ROUNDS = 12
const ROUND_MS = 2_000
const STALLED_BODIES = 8
const STALLED_BYTES = 64 * 1024 * 1024 - 1

interface Service {
  readonly url: string
  readonly hostile: string
  readonly other: string
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("hostile-server", folder.path)
const { url, hostile, other } = service.announcement
const pid = service.process.pid ?? 0

async function post(key: string, model: string, parameters: object): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const body = JSON.stringify({ model, parameters })
  const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body })
  const { task_id: id } = (await response.json()) as { task_id?: string }
  return id
}

/** How long a picture of the other account takes, ms. */
async function makePicture(): Promise<number> {
  const startedAt = performance.now()
  const id = await post(other, PICTURE, { prompt: "a lighthouse in the fog" })
  if (id === undefined) throw new Error("the other account's picture was refused")
  for (;;) {
    const headers = { authorization: `Bearer ${other}` }
    const response = await fetch(`${url}/v1/tasks/${id}`, { headers })
    const { status } = (await response.json()) as { status: string }
    if (status === "succeeded") return performance.now() - startedAt
    if (status === "failed") throw new Error("the other account's picture failed")
    await setTimeout(20)
  }
}

async function makePictures(): Promise<number> {
  const times: number[] = []
  for (let made = 0; made < PICTURES; made += 1) times.push(await makePicture())
  return median(times)
}

/** Answers at once and sends a byte each five seconds. */
async function startDripping(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write("a"), 5_000)
    response.on("close", () => clearInterval(timer))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return server
}

function stallBody(): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.write(
    `POST /v1/tasks HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${hostile}\r\n` +
      `content-type: application/json\r\ncontent-length: ${STALLED_BYTES}\r\n\r\n{`,
  )
  return socket
}

async function createAttacks(dripping: string): Promise<readonly (readonly [string, object])[]> {
  const image = `data:image/png;base64,${(await createTextBomb(60)).toString("base64")}`
  const table = `data:video/mp4;base64,${(await createSampleTableBomb()).toString("base64")}`
  const loop = `data:video/webm;base64,${LOOPING_WEBM.toString("base64")}`
  return [
    [EDIT, { prompt: "", image_urls: [image] }],
    [VIDEO, { video_urls: [table], duration: 4 }],
    [VIDEO, { video_urls: [loop], duration: 4 }],
    [VIDEO, { prompt: "€".repeat(1_000_000), duration: 4 }],
    [VIDEO, { prompt: "[studio: ".repeat(100_000), duration: 4 }],
    [PICTURE, { prompt: "[studio: defer 20]" }],
    [PICTURE, { prompt: "[studio: stall]" }],
    [EDIT, { prompt: "", image_urls: [`${dripping}/a.png`, `${dripping}/b.png`] }],
  ]
}

/** Sends every attack again and again until `signal` aborts. */
async function attack(dripping: string, signal: AbortSignal): Promise<void> {
  const attacks = await createAttacks(dripping)
  const sockets = Array.from({ length: STALLED_BODIES }, stallBody)
  for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round += 1) {
    await Promise.all(attacks.map(([model, parameters]) => post(hostile, model, parameters)))
    await setTimeout(ROUND_MS, undefined, { signal }).catch(() => {})
  }
  if (!signal.aborted) await once(signal, "abort")
  for (const socket of sockets) socket.destroy()
}

interface Memory {
  service: number
  workers: number
}

/** Notes the most that is used, in MB, until `signal` aborts. */
async function watchMemory(signal: AbortSignal): Promise<Memory> {
  const most: Memory = { service: 0, workers: 0 }
  while (!signal.aborted) {
    const { stdout } = await promisify(execFile)("ps", ["-e", "-o", "pid=,ppid=,rss="])
    const rows = stdout.split("\n").map((row) => row.trim().split(/\s+/).map(Number))
    const sum = (column: number): number =>
      rows.reduce((total, row) => total + (row[column] === pid ? (row[2] ?? 0) : 0), 0) / 1024
    most.service = Math.max(most.service, sum(0))
    most.workers = Math.max(most.workers, sum(1))
    await setTimeout(100)
  }
  return most
}

await makePicture()
const alone = await makePictures()
const dripping = await startDripping()
const over = new AbortController()
const attacking = attack(
  `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`,
  over.signal,
)
const watching = watchMemory(over.signal)
await setTimeout(ROUND_MS)
const beside = await makePictures()
over.abort()
await attacking
const { service: servingMb, workers: workersMb } = await watching
dripping.closeAllConnections()
dripping.close()
report({
  other_account_slowdown: beside / alone,
  rss_mb_under_attack: servingMb,
  rss_mb_workers_under_attack: workersMb,
})
