/**
 * An answer's bytes straight to Node's response: two buffers, one being read into while the other
 * is on its way. They start small and grow only for a client that keeps up, so that many slow
 * readers cost little memory (measured: performance.md, point 8). A client that leaves is no
 * error; a read that fails destroys the socket, because a clean end would look like success.
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { ByteSource } from "./byte-source.ts"

const START_BYTES = 64 * 1024
const MAX_BYTES = 512 * 1024
/** A client that took this much without pause empties more than the sockets' own buffers. */
const GROW_AFTER_BYTES = 4 * 1024 * 1024

export interface NodeAnswer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly source: ByteSource
}

/** Resolves when all is sent or the client has left; rejects where the source fails. */
export async function sendNodeContent(
  { outgoing, socket }: { readonly outgoing: ServerResponse; readonly socket: Socket },
  { status, headers, source }: NodeAnswer,
): Promise<void> {
  const sink = createSink(outgoing, socket)
  try {
    outgoing.writeHead(status, headers)
    await pump(source, sink)
    if (!sink.isGone()) outgoing.end()
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    sink.release()
    await source.close()
  }
}

/* oxlint-disable no-await-in-loop -- each buffer waits for its own last write */
async function pump(source: ByteSource, sink: Sink): Promise<void> {
  const first = Math.min(START_BYTES, source.lengthBytes)
  const buffers = [Buffer.allocUnsafeSlow(first), Buffer.allocUnsafeSlow(first)] as const
  const slots = buffers.map((buffer) => ({
    buffer,
    written: Promise.resolve(),
  }))
  let sizeBytes = first
  let keptUpBytes = 0
  for (let turn = 0; !sink.isGone(); turn += 1) {
    const slot = slots[turn % 2]
    if (slot === undefined) return
    await slot.written
    if (slot.buffer.length < sizeBytes) slot.buffer = Buffer.allocUnsafeSlow(sizeBytes)
    const count = await source.read(slot.buffer)
    if (count === 0) break
    keptUpBytes = sink.hadToWait() ? 0 : keptUpBytes + count
    slot.written = sink.write(slot.buffer.subarray(0, count))
    if (keptUpBytes >= GROW_AFTER_BYTES) sizeBytes = Math.min(MAX_BYTES, source.lengthBytes)
  }
  await Promise.all(slots.map((slot) => slot.written))
}

interface Sink {
  /** Resolves when the bytes were handed to the system, or the client has left. */
  write(bytes: Uint8Array): Promise<void>
  /** Whether the system did not take the last write at once: the client is behind. */
  hadToWait(): boolean
  isGone(): boolean
  release(): void
}

function createSink(outgoing: ServerResponse, socket: Socket): Sink {
  const waiting = new Set<() => void>()
  let isBehind = false

  /** A response that waits behind another on its connection never hears of the close itself. */
  function onClose(): void {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  socket.on("close", onClose)

  return {
    write: (bytes) =>
      new Promise((resolve) => {
        function finish(): void {
          waiting.delete(finish)
          resolve()
        }
        waiting.add(finish)
        outgoing.write(bytes, finish)
        // Node hands a tick's writes over at its end; what stays then waits for the client.
        process.nextTick(() => {
          isBehind = socket.writableLength > 0
        })
        if (socket.destroyed) finish()
      }),
    hadToWait: () => isBehind,
    isGone: () => socket.destroyed,
    release: () => {
      socket.off("close", onClose)
    },
  }
}
