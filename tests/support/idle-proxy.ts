/**
 * A proxy that ends connections which nothing passed over for a while, as load balancers do: by closing them, or by
 * forgetting them, so that whoever sends next learns of it by a reset, and nothing of what was sent is passed on.
 */
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"

export interface IdleProxy extends AsyncDisposable {
  readonly port: number
  /** Connections that it has ended so far. */
  ended(): number
}

export interface IdleProxyOptions {
  readonly port: number
  readonly idleMs: number
  readonly way: "closed" | "forgotten"
}

export async function startIdleProxy(options: IdleProxyOptions): Promise<IdleProxy> {
  const { idleMs, port: target, way } = options
  const sockets = new Set<Socket>()
  let ended = 0

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
  }

  const listener = createServer((client) => {
    const server = connect(target, "127.0.0.1")
    for (const socket of [client, server]) keep(socket)
    client.once("close", () => server.destroy())
    server.once("close", () => {
      if (way === "closed") client.destroy()
    })

    function end(): void {
      ended += 1
      // The server's end of it goes in any case: it must not be taken for one that is in use.
      server.destroy()
      if (way === "closed") client.end()
    }

    const timer = setTimeout(end, idleMs)
    client.once("close", () => clearTimeout(timer))
    client.on("data", (bytes: Buffer) => {
      timer.refresh()
      if (server.destroyed) client.resetAndDestroy()
      else server.write(bytes)
    })
    server.on("data", (bytes: Buffer) => {
      timer.refresh()
      client.write(bytes)
    })
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  return {
    port: (listener.address() as AddressInfo).port,
    ended: () => ended,
    async [Symbol.asyncDispose]() {
      listener.close()
      for (const socket of sockets) socket.destroy()
      await once(listener, "close")
    },
  }
}
