/**
 * A proxy before a PostgreSQL server that can refuse new connections with a SQLSTATE of choice, as a
 * pooler does that has no place left, or a server that starts. What is connected stays connected.
 */
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"

export interface RefusingProxy extends AsyncDisposable {
  readonly port: number
  /** New connections are refused with this SQLSTATE from now on; null: they are forwarded. */
  refuse(state: string | null): void
  /** Connections that were refused until now. */
  refusals(): number
  /** Closes every connection that is up. */
  cut(): void
}

/** Numbers that stand where a protocol's version would: the client asks for encryption. */
const ENCRYPTION_REQUESTS = new Set([80_877_103, 80_877_104])

/** Answers a client's first message with an error of this SQLSTATE, and closes the connection. */
export function refuseConnection(client: Socket, state: string): void {
  client.on("error", () => client.destroy())
  client.on("data", (bytes: Buffer) => {
    const asksEncryption = bytes.length === 8 && ENCRYPTION_REQUESTS.has(bytes.readUInt32BE(4))
    // "N": there is none; the client's next message begins the session.
    if (asksEncryption) client.write("N")
    else client.end(toErrorResponse(state))
  })
}

/** https://www.postgresql.org/docs/18/protocol-message-formats.html, ErrorResponse. */
function toErrorResponse(state: string): Buffer {
  const fields = ["SFATAL", "VFATAL", `C${state}`, `Mrefused with ${state}`]
  const body = Buffer.from(`${fields.join("\0")}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

export async function startRefusingProxy(target: {
  readonly port: number
}): Promise<RefusingProxy> {
  const sockets = new Set<Socket>()
  let state: string | null = null
  let refused = 0

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
  }

  function forward(client: Socket): void {
    const server = connect(target.port, "127.0.0.1")
    keep(server)
    client.pipe(server)
    server.pipe(client)
    client.once("close", () => server.destroy())
    server.once("close", () => client.destroy())
  }

  const listener = createServer((client) => {
    keep(client)
    if (state === null) return forward(client)
    refused += 1
    refuseConnection(client, state)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const { port } = listener.address() as AddressInfo

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  return {
    port,
    refuse(changed) {
      state = changed
    },
    refusals: () => refused,
    cut,
    async [Symbol.asyncDispose]() {
      listener.close()
      cut()
      await once(listener, "close")
    },
  }
}
