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
import {
  createTasks,
  EDIT,
  PICTURE,
  VIDEO,
  type HostileServer,
  type Tasks,
} from "./hostile-tasks.ts"
import { median } from "./measure.ts"

const PICTURES = 5
const MOST_ROUNDS = 12
const ROUND_MS = 2_000
const STALLED_BODIES = 8
const STALLED_BYTES = 64 * 1024 * 1024 - 1

async function makePictures(tasks: Tasks): Promise<number> {
  const times: number[] = []
  for (let made = 0; made < PICTURES; made += 1) {
    times.push(await tasks.time(PICTURE, { prompt: "a lighthouse in the fog" }))
  }
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

function stallBody(url: string, key: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.write(
    `POST /v1/tasks HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n` +
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
async function attack(
  { url, hostile }: HostileServer["announcement"],
  dripping: string,
  signal: AbortSignal,
): Promise<void> {
  const { post } = createTasks(url, hostile)
  const attacks = await createAttacks(dripping)
  const sockets = Array.from({ length: STALLED_BODIES }, () => stallBody(url, hostile))
  for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round += 1) {
    await Promise.all(attacks.map(([model, parameters]) => post(model, parameters)))
    await setTimeout(ROUND_MS, undefined, { signal }).catch(() => {})
  }
  if (!signal.aborted) await once(signal, "abort")
  for (const socket of sockets) socket.destroy()
}

interface Memory {
  service: number
  workers: number
}

/** Notes the most that is used by a process and those it started, in MB, until `signal` aborts. */
async function watchMemory(pid: number, signal: AbortSignal): Promise<Memory> {
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

export async function measureAttacks(server: HostileServer): Promise<Record<string, number>> {
  const { url, other } = server.announcement
  const tasks = createTasks(url, other)
  await tasks.time(PICTURE, { prompt: "a lighthouse in the fog" })
  const alone = await makePictures(tasks)
  const dripping = await startDripping()
  const over = new AbortController()
  const address = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}`
  const attacking = attack(server.announcement, address, over.signal)
  const watching = watchMemory(server.process.pid ?? 0, over.signal)
  await setTimeout(ROUND_MS)
  const beside = await makePictures(tasks)
  over.abort()
  await attacking
  const { service: servingMb, workers: workersMb } = await watching
  dripping.closeAllConnections()
  dripping.close()
  return {
    other_account_slowdown: beside / alone,
    rss_mb_under_attack: servingMb,
    rss_mb_workers_under_attack: workersMb,
  }
}
