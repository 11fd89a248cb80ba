/**
 * A proxy before a PostgreSQL server that drops the settings which a client sends with its connection,
 * as PgBouncer does with `ignore_startup_parameters = options`.
 */
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"

export interface ForgetfulProxy extends AsyncDisposable {
  readonly port: number
}

/** Of the message that begins a session: its length and the protocol's version. */
const HEAD_BYTES = 8

/** https://www.postgresql.org/docs/18/protocol-message-formats.html, StartupMessage. */
function dropOptions(startup: Buffer): Buffer {
  const words = startup.subarray(HEAD_BYTES).toString("latin1").split("\0")
  const kept: string[] = []
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [name = "", value = ""] = words.slice(index, index + 2)
    if (name !== "" && name !== "options") kept.push(name, value)
  }
  const body = Buffer.from(`${kept.join("\0")}\0\0`, "latin1")
  const head = Buffer.from(startup.subarray(0, HEAD_BYTES))
  head.writeUInt32BE(HEAD_BYTES + body.length)
  return Buffer.concat([head, body])
}

export async function startForgetfulProxy(target: {
  readonly port: number
}): Promise<ForgetfulProxy> {
  const sockets = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(target.port, "127.0.0.1")
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.once("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.once("data", (startup: Buffer) => {
      server.write(dropOptions(startup))
      client.pipe(server)
    })
    server.pipe(client)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const { port } = listener.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      listener.close()
      for (const socket of sockets) socket.destroy()
      await once(listener, "close")
    },
  }
}
