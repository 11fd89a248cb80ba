/**
 * One end of a pipe, read by numbers of bytes instead of chunks. It holds no more unread bytes than the stream
 * itself buffers.
 */
import type { Socket } from "node:net"

export interface BytePipe {
  /** Resolves to exactly `bytes` bytes, or undefined if the pipe ends before. One reader at a time. */
  read(bytes: number): Promise<Buffer | undefined>
  /** Resolves once the bytes are written, or the other side is gone, which the next read shows. */
  write(bytes: Uint8Array): Promise<void>
  /** Ends the pipe at once: what has arrived is read no more. */
  close(): void
}

export function createBytePipe(socket: Socket): BytePipe {
  /** Read from the socket, but not asked for yet. */
  let rest: Buffer = Buffer.alloc(0)
  let isClosed = false

  async function take(): Promise<Buffer | undefined> {
    for (;;) {
      if (isClosed) return undefined
      if (rest.byteLength > 0) return rest
      if (socket.destroyed || socket.readableEnded) return undefined
      const chunk = socket.read() as Buffer | null
      if (chunk !== null) return chunk
      // oxlint-disable-next-line no-await-in-loop
      await waitForNews(socket)
    }
  }

  return {
    async read(bytes) {
      const whole = Buffer.alloc(bytes)
      for (let filled = 0; filled < bytes;) {
        // oxlint-disable-next-line no-await-in-loop
        const chunk = await take()
        if (chunk === undefined) return undefined
        const copied = chunk.copy(whole, filled)
        rest = chunk.subarray(copied)
        filled += copied
      }
      return whole
    },
    write: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    close() {
      isClosed = true
      socket.destroy()
    },
  }
}

const NEWS = ["readable", "end", "close"] as const

function waitForNews(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const onNews = (): void => {
      for (const each of NEWS) socket.off(each, onNews)
      resolve()
    }
    for (const each of NEWS) socket.on(each, onNews)
  })
}
