/**
 * A TCP proxy between nodes and a database, which fails as networks do. `cut`, `freeze` and
 * `loseReply` change connections that are up, `accept` what becomes of new ones; a frozen connection
 * stays silent for good and is never closed by the proxy, as when a cable was pulled.
 */
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** Connections that are up, frozen ones included. */
  count(): number
  /** Closes every connection that is up. */
  cut(): void
  /** From now on nothing passes over the connections that are up; none is closed. */
  freeze(): void
  /** Holds every piece back for this long, in order, on all connections; 0: no more. */
  delay(delayMs: number): void
  /**
   * What becomes of new connections: forwarded, accepted and never answered, closed at once, or
   * refused with a SQLSTATE, as a server or a pooler does before anybody is let in.
   */
  accept(way: "forwarded" | "silent" | "closed" | { readonly refusal: string }): void
  /**
   * Loses the reply to the next request that matches: the server gets it, the connection is cut
   * before its answer passes. Resolves when that was done: `answered` waits for the server's answer
   * first, so the work is surely done; `sent` does not, so nobody knows.
   */
  loseReply(matches: (bytes: Buffer) => boolean, when: "answered" | "sent"): Promise<void>
}

interface Loss {
  readonly matches: (bytes: Buffer) => boolean
  readonly when: "answered" | "sent"
  readonly resolve: () => void
}

interface Connection {
  readonly client: Socket
  readonly server: Socket
  isFrozen: boolean
  /** Set once its request went on: the reply to it is lost. */
  losing: Loss | undefined
}

export async function startProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const connections = new Set<Connection>()
  const silent = new Set<Socket>()
  const losses: Loss[] = []
  let delayMs = 0
  let way: Parameters<TcpProxy["accept"]>[0] = "forwarded"

  function end({ client, server }: Connection): void {
    client.destroy()
    // Not destroyed: a reset could throw away what was sent and is not read yet.
    server.end()
  }

  function fromClient(connection: Connection, bytes: Buffer): void {
    const position = losses.findIndex(({ matches }) => matches(bytes))
    if (position >= 0 && connection.losing === undefined) {
      connection.losing = losses.splice(position, 1)[0]
    }
    connection.server.write(bytes)
    const { losing } = connection
    if (losing?.when !== "sent") return
    end(connection)
    losing.resolve()
  }

  function fromServer(connection: Connection, bytes: Buffer): void {
    const { losing } = connection
    if (losing === undefined) {
      connection.client.write(bytes)
      return
    }
    end(connection)
    losing.resolve()
  }

  function forward(client: Socket): void {
    const server = connect(target.port, "127.0.0.1")
    const connection: Connection = { client, server, isFrozen: false, losing: undefined }
    connections.add(connection)
    join(connection, client, server, fromClient)
    join(connection, server, client, fromServer)
  }

  /** One direction: what `from` sends, and at last that it closed, in order and late as told. */
  function join(
    connection: Connection,
    from: Socket,
    to: Socket,
    deliver: (over: Connection, bytes: Buffer) => void,
  ): void {
    const line = createLine(() => delayMs)
    from.on("data", (bytes: Buffer) => {
      line.pass(() => {
        if (!connection.isFrozen) deliver(connection, bytes)
      })
    })
    from.on("error", () => from.destroy())
    from.once("close", () => {
      if (connection.isFrozen && from === connection.server) return
      connections.delete(connection)
      line.pass(() => to.destroySoon())
    })
  }

  const listener = createServer((client) => {
    client.setNoDelay(true)
    if (way === "closed") {
      client.destroy()
      return
    }
    if (way === "forwarded") return forward(client)
    if (way !== "silent") return refuse(client, way.refusal)
    silent.add(client)
    client.on("error", () => client.destroy())
    client.once("close", () => silent.delete(client))
    client.resume()
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const { port } = listener.address() as AddressInfo
  return {
    port,
    count: () => connections.size,
    cut() {
      for (const { client, server } of connections) {
        client.destroy()
        server.destroy()
      }
    },
    freeze() {
      for (const connection of connections) connection.isFrozen = true
    },
    delay(changedMs) {
      delayMs = changedMs
    },
    accept(changed) {
      way = changed
    },
    loseReply: (matches, when) =>
      new Promise((resolve) => {
        losses.push({ matches, when, resolve })
      }),
    async [Symbol.asyncDispose]() {
      for (const { client, server } of connections) {
        client.destroy()
        server.destroy()
      }
      for (const client of silent) client.destroy()
      listener.close()
      await once(listener, "close")
    },
  }
}

/** Answers a startup message as PostgreSQL's protocol has it (ErrorResponse), and hangs up. */
function refuse(client: Socket, state: string): void {
  client.on("error", () => client.destroy())
  client.once("data", () => {
    const fields = ["SFATAL", "VFATAL", `C${state}`, "Mthis connection is refused"]
    const body = Buffer.from(`${fields.join("\0")}\0\0`)
    const head = Buffer.alloc(5)
    head.write("E")
    head.writeInt32BE(body.length + 4, 1)
    client.end(Buffer.concat([head, body]))
  })
}

/** Lets things through in order, each `delayMs()` after it came; at once where nothing waits. */
function createLine(delayMs: () => number): { pass(through: () => void): void } {
  let waiting = 0
  let last = Promise.resolve()
  async function passLate(through: () => void, before: Promise<void>): Promise<void> {
    const ripe = wait(delayMs())
    await before
    await ripe
    waiting -= 1
    through()
  }
  return {
    pass(through) {
      if (waiting === 0 && delayMs() === 0) return through()
      waiting += 1
      last = passLate(through, last)
    },
  }
}
