/**
 * Clients without a key that cost memory: requests sent ahead by the megabyte, and answers that
 * nobody reads. What a process takes from them is bounded, it stays, and others are served.
 */
import assert from "node:assert/strict"
import { connect, type Socket } from "node:net"
import { describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { toBodySettings } from "safelight"
import { createRawClient } from "../../support/raw-client.ts"
import { startServingProcess, type ServingProcess } from "./serving-process.ts"

const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE
const REQUEST = "GET / HTTP/1.1\r\nHost:a\r\n\r\n"
/** A request that is never answered, at the second listener. */
const STUCK = "GET /readyz HTTP/1.1\r\nHost:a\r\n\r\n"
const FLOOD_BYTES = 32 * MEBIBYTE
/** Of a connection: until its answers fill the system's buffers, and what came with the last. */
const READ_BYTES = MEBIBYTE
/** With room, since how late garbage is collected varies. */
const GROWTH_BYTES = 320 * MEBIBYTE
const WAVES = 24

describe("a client that sends requests ahead and never reads", () => {
  for (const listener of ["url", "healthUrl"] as const) {
    it(`is not read on, at ${listener}`, async () => {
      await using served = await startServingProcess()
      const before = await served.memory()
      const socket = startFlood(served[listener])
      const after = await settled(served, 2 * READ_BYTES)
      assert.ok(after.readBytes < READ_BYTES, `${after.readBytes} bytes were read`)
      assertGrowth(before.rssBytes, after.peakRssBytes)
      await assertServes(served[listener])
      socket.destroy()
    })
  }

  it("costs little on many connections, each with what fits into one read", async () => {
    await using served = await startServingProcess()
    const before = await served.memory()
    const ahead = STUCK + REQUEST.repeat(Math.floor((60 * 1024) / REQUEST.length))
    const sockets: Socket[] = []
    for (let wave = 0; wave < WAVES; wave += 1) {
      const newer = Array.from({ length: 5 }, () => startSocket(served.healthUrl, ahead))
      sockets.push(...newer)
      await settled(served)
    }
    const after = await served.memory()
    assertGrowth(before.rssBytes, after.peakRssBytes)
    await assertServes(served.healthUrl)
    await assertServes(served.url)
    for (const socket of sockets) socket.destroy()
  })
})

describe("the largest creations that a process of 1 GiB takes, four at once", () => {
  it("leave it below that", async () => {
    const settings = toBodySettings(GIBIBYTE)
    await using served = await startServingProcess(settings)
    const headers = {
      authorization: `Bearer ${served.key}`,
      "content-type": "application/json",
    }
    const body = toLargeCreation(settings.bodyBytes)
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const response = await fetch(`${served.url}/v1/tasks`, { method: "POST", headers, body })
        await response.arrayBuffer()
        return response.status
      }),
    )
    assert.ok(statuses.includes(202), statuses.join())
    assert.ok(
      statuses.every((status) => [202, 503].includes(status)),
      statuses.join(),
    )
    const { peakRssBytes } = await served.memory()
    assert.ok(peakRssBytes < GIBIBYTE, `${peakRssBytes / MEBIBYTE} MiB at most`)
    await assertServes(served.url)
  })
})

describe("the memory of a process", () => {
  const of = (mebibytes: number) => toBodySettings(mebibytes * MEBIBYTE)

  it("bounds the bodies that it takes, below the defaults", () => {
    const told = [384, 512, 1_024, 2_816, 16_384].map((mebibytes) => {
      const { bodiesAtWorkBytes, bodiesInFlightBytes, bodyBytes } = of(mebibytes)
      return [bodyBytes, bodiesAtWorkBytes, bodiesInFlightBytes].map((bytes) =>
        Math.floor(bytes / MEBIBYTE),
      )
    })
    assert.deepEqual(told, [
      [3, 3, 6],
      [6, 6, 12],
      [19, 19, 38],
      [64, 64, 128],
      [64, 128, 512],
    ])
  })

  it("is refused where a picture could hardly be sent, with what is missing", () => {
    assert.throws(() => of(383), {
      code: "invalid-configuration",
      message: /only 383 MiB of memory may be used, and a service needs 384: raise the limit/,
    })
  })
})

/** Two data URLs, just below the bound together. */
function toLargeCreation(bodyBytes: number): string {
  const png = Buffer.alloc(Math.floor(((bodyBytes - 1_024) / 2) * 0.75) - 3)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const url = `data:image/png;base64,${png.toString("base64")}`
  const parameters = { prompt: "a lighthouse", image_urls: [url, url] }
  return JSON.stringify({ model: "vendor-b/imagine-image/v2.0/edit", parameters })
}

function assertGrowth(beforeBytes: number, peakBytes: number): void {
  const mebibytes = (peakBytes - beforeBytes) / MEBIBYTE
  assert.ok(mebibytes < GROWTH_BYTES / MEBIBYTE, `${mebibytes} MiB more at most`)
}

/** Once the process has read nothing more for a while, or far too much. */
async function settled(served: ServingProcess, stopBytes = Infinity) {
  let before = await served.memory()
  for (let same = 0; same < 2;) {
    await sleep(50)
    const now = await served.memory()
    same = now.readBytes === before.readBytes && now.readBytes > 0 ? same + 1 : 0
    before = now
    if (now.readBytes > stopBytes || now.peakRssBytes > 5 * GROWTH_BYTES) return now
  }
  return before
}

async function assertServes(url: string): Promise<void> {
  const client = createRawClient(url)
  client.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
  assert.match(await client.ended(), /^HTTP\/1\.1 200 /)
}

function startSocket(url: string, bytes: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  socket.on("error", ignoreReset)
  socket.write(bytes)
  return socket
}

/** Sends as much as the server takes. */
function startFlood(url: string): Socket {
  const piece = REQUEST.repeat(4096)
  const socket = startSocket(url, piece)
  let sentBytes = 0
  function send(): void {
    if (sentBytes >= FLOOD_BYTES || socket.destroyed) return
    sentBytes += piece.length
    socket.write(piece, send)
  }
  send()
  return socket
}

/** The server may end what is no client. */
function ignoreReset(): void {}
