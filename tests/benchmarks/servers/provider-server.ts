/**
 * A provider for the benchmarks, as cheap as one can be: `POST /jobs` takes work in, `GET /jobs/ID` says
 * how it stands, `/files/BYTES` is a picture of so many bytes. Jobs run until `POST /finish` ends some at
 * random moments; `GET /count` tells how many there were, `GET /lateness` how long after its end each of them was first seen to be over.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { MEDIA_HEADS } from "../../support/media-heads.ts"
import { announce } from "./announce.ts"

const CHUNK = Buffer.alloc(256 * 1024, 7)

/** When each job ends, and how late that was seen. */
const endAt = new Map<string, number>()
const lateness: number[] = []
let count = 0

function answer(response: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value)
  response.setHeader("content-type", "application/json")
  response.setHeader("content-length", Buffer.byteLength(body))
  response.end(body)
}

function poll(response: ServerResponse, id: string): void {
  const lateMs = performance.now() - (endAt.get(id) ?? Infinity)
  if (lateMs < 0) return answer(response, { status: "running" })
  if (Number.isFinite(lateMs)) lateness.push(lateMs)
  // Asked again while it is collected, it is no news.
  endAt.set(id, -Infinity)
  answer(response, { status: "completed", file: "/files/100000" })
}

function finish(response: ServerResponse, request: { tasks: number; withinMs: number }): void {
  const running = [...endAt].filter(([, at]) => at === Infinity).slice(0, request.tasks)
  for (const [id] of running) endAt.set(id, performance.now() + Math.random() * request.withinMs)
  answer(response, { finishing: running.length })
}

async function sendFile(response: ServerResponse, bytes: number): Promise<void> {
  response.setHeader("content-type", "image/png")
  response.setHeader("content-length", bytes)
  response.write(MEDIA_HEADS.png)
  for (let left = bytes - MEDIA_HEADS.png.length; left > 0; left -= CHUNK.length) {
    const isFull = !response.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK)
    if (isFull) await new Promise((resolve) => response.once("drain", resolve))
  }
  response.end()
}

const server = createServer(async (request, response) => {
  const [, kind, name = ""] = (request.url ?? "").split("/")
  if (kind === "files") return sendFile(response, Number(name))
  if (kind === "count") return answer(response, count)
  if (kind === "lateness") return answer(response, lateness)
  if (kind === "finish") return finish(response, (await json(request)) as never)
  if (request.method === "GET") return poll(response, name)
  request.resume()
  const id = String((count += 1))
  endAt.set(id, Infinity)
  answer(response, { id })
})
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => {
  announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
