/**
 * One download over a raw socket by a reader that drops what comes. Beside the server's work its own
 * counts too, all the more where both share few cores: an `allocating` reader is Node's usual one,
 * with a new buffer for each read, and takes longer than a good server; a `reusing` one reads into
 * one buffer again and again.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface Download {
  readonly url: string
  readonly path: string
  /** An API key, where one is asked for. */
  readonly key: string
  /** The least that has to come, head included. */
  readonly bytes: number
}

export type ReaderKind = "allocating" | "reusing"

const MEBIBYTE = 1024 * 1024
/** As much as Node's own buffers hold. */
const BUFFER_BYTES = 64 * 1024

/** Resolves to MiB per second; rejects where less came, with how the answer began. */
export async function readDownload(download: Download, kind: ReaderKind): Promise<number> {
  const { hostname, port } = new URL(download.url)
  let received = 0
  let start = ""
  function take(bytes: Uint8Array): void {
    if (received === 0) start = Buffer.from(bytes.subarray(0, 500)).toString("latin1")
    received += bytes.length
  }
  const socket = open(kind, { host: hostname, port: Number(port) }, take)
  await once(socket, "connect")
  const startedAt = performance.now()
  const head = `GET ${download.path} HTTP/1.1\r\nHost: ${hostname}\r\n`
  socket.write(`${head}Authorization: Bearer ${download.key}\r\nConnection: close\r\n\r\n`)
  socket.resume()
  await once(socket, "close")
  if (received < download.bytes) throw new Error(`${received} bytes came of ${start}`)
  return (download.bytes / MEBIBYTE / (performance.now() - startedAt)) * 1000
}

function open(
  kind: ReaderKind,
  address: { readonly host: string; readonly port: number },
  take: (bytes: Uint8Array) => void,
): Socket {
  if (kind === "allocating") return connect(address).on("data", take)
  return connect({
    ...address,
    onread: {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      callback(count, buffer) {
        take(buffer.subarray(0, count))
        return true
      },
    },
  })
}
