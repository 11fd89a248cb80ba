/**
 * Writes an answer's bytes straight to Node's response. Up to `MOST_LARGE` downloads have two large
 * buffers each, one filled while the other is sent. Every other download has one small buffer, filled
 * and sent in turn, and so has a client that fell behind, until it has kept up for `GROW_AFTER_BYTES`:
 * hundreds of slow readers cost little memory. A client that leaves is no error; a read that fails
 * destroys the socket, because a clean end would look like success.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { SentAnswer, Transfer } from "../exchange.ts"
import type { ByteSource } from "../content/byte-source.ts"

/** What each of many slow readers costs. */
const SMALL_BYTES = 64 * 1024
/** A read and a write cost a fixed time each; for buffers of this size it hardly counts. */
const LARGE_BYTES = 512 * 1024
/** A client that took this much without pause empties more than the sockets' own buffers. */
const GROW_AFTER_BYTES = 4 * 1024 * 1024
/** At 50 MiB/s and more the sockets' own buffers empty fast enough to take a write within this. */
const LATE_AFTER_MS = 25
/** 32 MiB in large buffers at most. */
const MOST_LARGE = 32

/** Downloads that hold large buffers now, whatever the server: their memory is the process's. */
let largeDownloads = 0

/** Resolves when all is sent or the client has left; rejects with what the source rejects with. */
export async function sendNodeContent(
  { outgoing, socket }: { readonly outgoing: ServerResponse; readonly socket: Socket },
  { status, headers, source, transfer }: SentAnswer,
): Promise<void> {
  const sink = createSink(outgoing, socket, transfer)
  try {
    outgoing.writeHead(status, headers)
    await pump(source, sink)
    if (!socket.destroyed) outgoing.end()
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    sink.release()
    await source.close()
  }
}

/* oxlint-disable no-await-in-loop -- the bytes leave in order */
async function pump(source: ByteSource, sink: Sink): Promise<void> {
  for (;;) {
    if (largeDownloads < MOST_LARGE && !(await sendLarge(source, sink))) return
    if (!(await sendSmall(source, sink))) return
  }
}

/** Sends until the client has kept up for long; false if nothing is left or the client is gone. */
async function sendSmall(source: ByteSource, sink: Sink): Promise<boolean> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(SMALL_BYTES, source.lengthBytes))
  let keptUpBytes = 0
  for (;;) {
    const count = await source.read(buffer)
    if (count === 0) return false
    const outcome = await sink.write(buffer, count)
    if (outcome === "gone") return false
    keptUpBytes = outcome === "late" ? 0 : keptUpBytes + count
    if (keptUpBytes >= GROW_AFTER_BYTES) return true
  }
}

/** Sends until the client has fallen behind; false if nothing is left or the client is gone. */
async function sendLarge(source: ByteSource, sink: Sink): Promise<boolean> {
  largeDownloads += 1
  try {
    const bytes = Math.min(LARGE_BYTES, source.lengthBytes)
    let filling = Buffer.allocUnsafeSlow(bytes)
    let leaving = Buffer.allocUnsafeSlow(bytes)
    let last: Promise<WriteOutcome> = Promise.resolve("in time")
    for (;;) {
      const count = await source.read(filling)
      const outcome = await last
      if (count === 0 || outcome === "gone") return false
      last = sink.write(filling, count)
      // Its memory is given back only once nothing of it waits for the client.
      if (outcome === "late") return (await last) !== "gone"
      ;[filling, leaving] = [leaving, filling]
    }
  } finally {
    largeDownloads -= 1
  }
}

type WriteOutcome = "in time" | "late" | "gone"

interface Sink {
  /** Writes the first `count` bytes; resolves when they were handed to the system, or never will. */
  write(buffer: Buffer, count: number): Promise<WriteOutcome>
  release(): void
}

function createSink(outgoing: ServerResponse, socket: Socket, transfer: Transfer): Sink {
  let settle: (() => void) | undefined

  /** Node emits no close for a response that waits behind another on its connection. */
  function onClose(): void {
    settle?.()
  }
  socket.on("close", onClose)

  return {
    write: (buffer, count) =>
      new Promise((resolve) => {
        const startedAt = performance.now()
        settle = () => {
          const isLate = performance.now() - startedAt > LATE_AFTER_MS
          if (socket.destroyed) {
            resolve("gone")
            return
          }
          transfer.sentBytes += count
          resolve(isLate ? "late" : "in time")
        }
        if (socket.destroyed) settle()
        else outgoing.write(buffer.subarray(0, count), settle)
      }),
    release: () => {
      socket.off("close", onClose)
    },
  }
}
