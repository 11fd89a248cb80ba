/**
 * `rss_mb_500_slow_readers`: what the server's resident memory grows by, at its highest, while 500
 * connections each read a 100 MiB artifact a few KiB at a time. They never stop reading: every one
 * has to get further than what the system itself keeps for it, or the figure would say nothing.
 */
import { connect, type Socket } from "node:net"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startArtifactService, type ArtifactService } from "./artifact-service.ts"
import { report } from "./measure.ts"

const MEBIBYTE = 1024 * 1024
const READERS = 500
const PIECE_BYTES = 8 * 1024
/** With the piece above: 200 KiB/s each, 100 MiB/s together. */
const PAUSE_MS = 40
/** Past what loopback holds for a reader, about 4 MiB, so that the server had to send more. */
const EACH_BYTES = 6 * MEBIBYTE
const SAMPLE_MS = 100

interface SlowReader {
  readonly socket: Socket
  receivedBytes: number
}

/** What comes is dropped, so all readers share the piece they read into. */
const piece = Buffer.allocUnsafe(PIECE_BYTES)

function startReader({ url, path, key }: ArtifactService): SlowReader {
  const { hostname, port } = new URL(url)
  const reader: SlowReader = {
    receivedBytes: 0,
    socket: connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: piece,
        callback(count) {
          reader.receivedBytes += count
          setTimeout(() => reader.socket.resume(), PAUSE_MS)
          reader.socket.pause()
          return false
        },
      },
    }),
  }
  const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`
  reader.socket.write(head)
  reader.socket.resume()
  return reader
}

await using folder = await createTemporaryFolder()
await using server = await startArtifactService(folder.path)
const idle = await server.rssBytes()
const readers = Array.from({ length: READERS }, () => startReader(server))
let highest = idle
while (readers.some(({ receivedBytes }) => receivedBytes < EACH_BYTES)) {
  await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
  if (readers.some(({ socket }) => socket.destroyed)) throw new Error("a reader was cut off")
  highest = Math.max(highest, await server.rssBytes())
}
for (const { socket } of readers) socket.destroy()
report({ rss_mb_500_slow_readers: (highest - idle) / MEBIBYTE })
