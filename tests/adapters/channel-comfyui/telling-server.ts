/** A server where a prompt runs for ever, and a test says what is told of it over the socket. */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import type { TestContext } from "node:test"

export interface ToldSocket {
  readonly clientId: string
  isClosed(): boolean
  tell(text: string): void
  drop(): void
}

export interface TellingServer {
  readonly url: string
  /** All that were ever opened, in their order. */
  readonly sockets: readonly ToldSocket[]
  /** From now on sockets are refused. */
  refuse(): void
  /** How many connections were tried. */
  tries(): number
}

/** RFC 6455 §1.3. */
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/** Closed after the test. `promptIds` are those that run. */
export async function createTellingServer(
  t: TestContext,
  promptIds: readonly string[],
): Promise<TellingServer> {
  const sockets: ToldSocket[] = []
  let isRefusing = false
  let tries = 0
  const server = createServer((request, response) => {
    request.resume()
    const running = promptIds.map((id) => [1, id, {}, {}, []])
    const isQueue = request.url?.startsWith("/queue") === true
    const queue = isQueue ? { queue_running: running, queue_pending: [] } : {}
    const isPrompt = request.url === "/prompt"
    response.end(JSON.stringify(isPrompt ? { prompt_id: promptIds[0] } : queue))
  })
  server.on("upgrade", (request, stream: Duplex) => {
    tries += 1
    if (isRefusing) stream.destroy()
    else sockets.push(accept(request, stream))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => {
    for (const socket of sockets) socket.drop()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, sockets, refuse: () => void (isRefusing = true), tries: () => tries }
}

function accept(request: IncomingMessage, stream: Duplex): ToldSocket {
  const key = `${request.headers["sec-websocket-key"]}${MAGIC}`
  const hash = createHash("sha1").update(key).digest("base64")
  const head = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"]
  stream.write([...head, `sec-websocket-accept: ${hash}`, "", ""].join("\r\n"))
  let isClosed = false
  stream.on("error", () => stream.destroy())
  stream.on("end", () => stream.destroy())
  stream.on("close", () => void (isClosed = true))
  stream.resume()
  const { searchParams } = new URL(request.url ?? "", "http://server")
  return {
    clientId: searchParams.get("clientId") ?? "",
    isClosed: () => isClosed,
    tell(text) {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      stream.write(Buffer.concat([Buffer.from([0x81, 126]), length, bytes]))
    },
    drop: () => void stream.destroy(),
  }
}
