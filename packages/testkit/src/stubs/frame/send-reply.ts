/**
 * Sends a reply, truly or with a fault. A fault of a reply changes its content; a fault of a download changes how
 * many bytes are announced and how many are sent.
 */
import type { ServerResponse } from "node:http"
import type { StubReply } from "./stub-route.ts"

export interface Manner {
  /** Bytes announced; the true number by default. */
  readonly announced?: number
  /** Bytes sent before the connection is cut; by default all are sent, and it is not cut. */
  readonly cutAfter?: number
  /** Waits halfway. */
  readonly pause?: () => Promise<void>
}

const ZEROS = Buffer.alloc(256 * 1024)

export async function sendReply(
  response: ServerResponse,
  reply: StubReply,
  manner: Manner = {},
): Promise<void> {
  if (reply.events !== undefined) return sendEvents(response, reply.events)
  const body = toBody(reply)
  const length = body.length + (reply.zeroBytes ?? 0)
  const { announced = length, cutAfter = length, pause } = manner
  if (announced !== length) response.setHeader("connection", "close")
  writeHead(response, reply, announced)
  if (response.req.method === "HEAD") {
    response.end()
    return
  }
  const half = pause === undefined ? 0 : Math.ceil(cutAfter / 2)
  await writeRange(response, body, 0, half)
  await pause?.()
  await writeRange(response, body, half, cutAfter)
  if (cutAfter < length || announced > length) await cut(response)
  else response.end()
}

/** Ends early if the caller leaves. */
async function sendEvents(response: ServerResponse, events: AsyncIterable<unknown>): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for await (const event of events) {
    if (response.destroyed) return
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

function writeHead(response: ServerResponse, reply: StubReply, announced: number): void {
  if (reply.json !== undefined) response.setHeader("content-type", "application/json")
  response.setHeader("content-length", announced)
  response.writeHead(reply.status ?? 200, reply.headers)
}

/** Closes the connection once everything written was sent. */
function cut(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.write("", () => {
      response.destroy()
      resolve()
    })
  })
}

export function toBody({ json, text, bytes }: StubReply): Buffer {
  if (json !== undefined) return Buffer.from(JSON.stringify(json))
  return bytes ?? Buffer.from(text ?? "")
}

/** Writes the bytes from `start` to `end` of a body that is followed by endless zeros. */
async function writeRange(
  response: ServerResponse,
  body: Buffer,
  start: number,
  end: number,
): Promise<void> {
  let at = start
  while (at < end && !response.destroyed) {
    const chunk = at < body.length ? body.subarray(at, end) : ZEROS.subarray(0, end - at)
    at += chunk.length
    // One chunk is in memory at a time: a film may be larger than that.
    // oxlint-disable-next-line no-await-in-loop
    if (!response.write(chunk)) await drained(response)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function finish(): void {
      response.off("drain", finish)
      response.off("close", finish)
      resolve()
    }
    response.on("drain", finish)
    response.on("close", finish)
  })
}
