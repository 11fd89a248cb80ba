/** The WebSockets of a stub: the listener of each path, and the open sockets. */
import type { Server } from "node:http"
import { WebSocketServer } from "ws"
import { createCall, type StubCall } from "./stub-call.ts"
import { toTextSocket, type TextSocket } from "./text-socket.ts"

export type SocketListener = (call: StubCall, socket: TextSocket) => void

export interface StubSockets {
  listen(path: string, listener: SocketListener): void
  /** Closes all open sockets, which closing the server leaves open. */
  close(): void
}

export function createSockets(server: Server, hosts: readonly string[]): StubSockets {
  const listeners = new Map<string, SocketListener>()
  const sockets = new WebSocketServer({ noServer: true })
  server.on("upgrade", (request, stream, head) => {
    const call = createCall(request, Buffer.alloc(0), hosts)
    const listener = listeners.get(call.path)
    if (listener === undefined) {
      stream.destroy()
      return
    }
    sockets.handleUpgrade(request, stream, head, (socket) => listener(call, toTextSocket(socket)))
  })
  return {
    listen: (path, listener) => void listeners.set(path, listener),
    close() {
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}
