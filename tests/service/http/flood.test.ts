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
      // oxlint-disable-next-line no-await-in-loop -- what one turn parses is Node's to bound
      await settled(served)
    }
    const after = await served.memory()
    assertGrowth(before.rssBytes, after.peakRssBytes)
    await assertServes(served.healthUrl)
    await assertServes(served.url)
    for (const socket of sockets) socket.destroy()
  })
})

describe("two creations of 61 MiB at once", () => {
  it("leave a process of 1 GiB below that", async () => {
    await using served = await startServingProcess(toBodySettings(GIBIBYTE))
    const headers = {
      authorization: `Bearer ${served.key}`,
      "content-type": "application/json",
    }
    const body = toLargeCreation()
    const statuses = await Promise.all(
      [1, 2].map(async () => {
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

/** Four data URLs of 15 MiB. */
function toLargeCreation(): string {
  const png = Buffer.alloc(11.5 * MEBIBYTE)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const url = `data:image/png;base64,${png.toString("base64")}`
  const parameters = { prompt: "a lighthouse", image_urls: [url, url, url, url] }
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
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await sleep(50)
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
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
