/**
 * Writes an answer's bytes straight to Node's response, from one buffer that is filled and sent in turn. It is
 * large for the first `MOST_LARGE` downloads and small for those beyond, so hundreds of slow readers cost
 * little memory. A client that leaves is no error; a read that fails destroys the socket, because a clean end
 * would look like success.
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { SentAnswer } from "../pipeline/exchange.ts"

/** What each of many readers costs. */
const SMALL_BYTES = 64 * 1024
/** A read and a write cost a fixed time each; for buffers of this size it hardly counts. */
const LARGE_BYTES = 1024 * 1024
/** 32 MiB in large buffers at most. */
const MOST_LARGE = 32

/** Downloads that hold large buffers now, whatever the server: their memory is the process's. */
let largeDownloads = 0

interface Connection {
  readonly outgoing: ServerResponse
  readonly socket: Socket
}

/** Resolves when all is sent or the client has left; rejects with what the source rejects with. */
export async function sendNodeContent(connection: Connection, answer: SentAnswer): Promise<void> {
  const { outgoing, socket } = connection
  const { status, headers, source } = answer
  const isLarge = source.lengthBytes > SMALL_BYTES && largeDownloads < MOST_LARGE
  if (isLarge) largeDownloads += 1
  try {
    outgoing.writeHead(status, headers)
    const mostBytes = isLarge ? LARGE_BYTES : SMALL_BYTES
    const buffer = Buffer.allocUnsafeSlow(Math.min(mostBytes, source.lengthBytes))
    await copy(answer, buffer, connection)
    if (!socket.destroyed) outgoing.end()
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    if (isLarge) largeDownloads -= 1
    await source.close()
  }
}

/** Until all is sent, or the client has left. */
async function copy(
  { source, transfer }: SentAnswer,
  buffer: Buffer,
  connection: Connection,
): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- the bytes leave in order
    const count = await source.read(buffer)
    // oxlint-disable-next-line no-await-in-loop
    if (count === 0 || !(await write(connection, buffer.subarray(0, count)))) return
    transfer.sentBytes += count
  }
}

/** Resolves once the bytes were handed to the system; false if the client has left. */
function write({ outgoing, socket }: Connection, bytes: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    function settle(): void {
      socket.off("close", settle)
      resolve(!socket.destroyed)
    }
    // Node calls back for no write of a response that waits behind another on its connection.
    socket.on("close", settle)
    if (socket.destroyed) settle()
    else outgoing.write(bytes, settle)
  })
}
